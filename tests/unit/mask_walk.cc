// mask/walk/trie_walker.h: the loop over the token trie, with a recogniser whose verdicts are
// given.
#include "mask/walk/trie_walker.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mask/sets/adaptive_mask.h"
#include "mask/walk/transition_table.h"
#include "unit/fixture.h"

namespace xg2lab {
namespace {

using unit::tokens_of;

using Texts = std::vector<std::string>;

Texts texts_of(const TokenSets& tokens, const std::vector<RankRange>& ranges) {
  Texts texts;
  for (const auto& [begin, end] : ranges) {
    for (uint32_t rank = begin; rank < end; ++rank)
      texts.emplace_back(tokens.vocabulary->bytes_at(TokenRank(rank)));
  }
  return texts;
}

// Gives each path the verdict that a test lists for it, else that of its parent: the root has
// kAccepted. Notes all that the walker asks for.
class Listed {
 public:
  struct State {
    std::string path;
    Verdict verdict = kAccepted;
  };
  static constexpr std::string_view kWork = "a test";

  Listed(const TokenSets& tokens, std::map<std::string, Verdict> verdicts)
      : tokens_(tokens), verdicts_(std::move(verdicts)) {}

  State enter(const State& above, const TrieNode&, uint32_t node) {
    entered.push_back(path_of(node));
    CHECK(above.path + entered.back().back() == entered.back());
    State here{entered.back(), above.verdict == kLooksCloser ? kAccepted : above.verdict};
    if (const auto listed = verdicts_.find(here.path); listed != verdicts_.end())
      here.verdict = listed->second;
    return here;
  }
  static Verdict verdict(const State& state) { return state.verdict; }
  State resolve(const State& above, uint32_t node) {
    resolved.push_back(path_of(node));
    return {above.path + resolved.back().back(), kAccepted};
  }
  void take(uint32_t first, uint32_t end, const State& at) {
    taken.emplace_back(path_of(first), at.verdict);
    take_ranks(tokens_.trie[first].first_rank, tokens_.trie[end].first_rank);
  }
  void take_ranks(uint32_t begin, uint32_t end) { extend(accepted, begin, end); }
  uint32_t look_closer(TrieWalker<Listed>&, uint32_t node, const State& here, int n_nested) {
    closer.emplace_back(here.path, n_nested);
    return tokens_.trie[node].subtree_end;
  }

  std::string path_of(uint32_t node) const {
    const TrieNode& at = tokens_.trie[node];
    return std::string(tokens_.vocabulary->bytes_at(TokenRank(at.first_rank)).substr(0, at.depth));
  }
  Texts tokens_taken() const { return texts_of(tokens_, accepted); }

  Texts entered;
  Texts resolved;
  std::vector<std::pair<std::string, Verdict>> taken;
  std::vector<std::pair<std::string, int>> closer;
  std::vector<RankRange> accepted;

 private:
  const TokenSets& tokens_;
  std::map<std::string, Verdict> verdicts_;
};

static_assert(Recogniser<Listed>);

// In byte order: a ab abc ac b ba c
const TokenSets& letters() {
  static const auto made = tokens_of({"a", "ab", "abc", "ac", "b", "ba", "c"});
  return *made;
}

Listed walked(std::map<std::string, Verdict> verdicts, uint64_t* n_visits = nullptr) {
  Listed listed(letters(), std::move(verdicts));
  TrieWalker<Listed> walker(letters().trie, listed, {"", kDeadEnd});
  walker.set_state(0, {"", kAccepted});
  walker.walk(1, letters().trie.n_nodes(), 3);
  if (n_visits != nullptr) *n_visits = walker.n_visits();
  return listed;
}

TEST_CASE("TrieWalker: what is accepted throughout is taken once, as one range") {
  uint64_t n_visits = 0;
  const Listed all = walked({}, &n_visits);
  CHECK(all.entered == Texts{"a", "ab", "abc", "ac", "b", "ba", "c"});
  CHECK(all.taken.size() == 1);
  CHECK(all.accepted == std::vector<RankRange>{{0, 7}});
  CHECK(n_visits == 7);
}

TEST_CASE("TrieWalker: below a dead node nothing is entered") {
  uint64_t n_visits = 0;
  const Listed some = walked({{"ab", kDeadEnd}, {"b", kDeadEnd}}, &n_visits);
  CHECK(some.entered == Texts{"a", "ab", "ac", "b", "c"});
  CHECK(some.tokens_taken() == Texts{"a", "ac", "c"});
  CHECK(n_visits == 5);  // the dead ones too
}

TEST_CASE(
    "TrieWalker: neighbours with different verdicts are taken apart, those with equal ones "
    "together") {
  const Listed some = walked({{"ab", kAccepted + 1}, {"ac", kAccepted + 1}, {"b", kAccepted + 2}});
  using Taken = std::pair<std::string, Verdict>;
  CHECK(some.taken ==
        std::vector<Taken>{
            {"a", kAccepted}, {"ab", kAccepted + 1}, {"b", kAccepted + 2}, {"c", kAccepted}});
  CHECK(some.accepted == std::vector<RankRange>{{0, 7}});
}

TEST_CASE("TrieWalker: an unresolved node is resolved before it is taken") {
  const Listed some = walked({{"ab", kUnresolved}, {"c", kUnresolved}});
  CHECK(some.resolved == Texts{"ab", "c"});
  CHECK(some.tokens_taken() == Texts{"a", "ab", "abc", "ac", "b", "ba", "c"});
}

TEST_CASE(
    "TrieWalker: a node to be looked at closer is the recogniser's, and the walk goes on behind "
    "it") {
  const Listed some = walked({{"ab", kLooksCloser}, {"b", kLooksCloser}});
  using Closer = std::pair<std::string, int>;
  CHECK(some.closer == std::vector<Closer>{{"ab", 3}, {"b", 3}});
  CHECK(some.entered == Texts{"a", "ab", "ac", "b", "c"});
  CHECK(some.tokens_taken() == Texts{"a", "ac", "c"});
}

// Accepts all but what begins with `1`, and notes from where each node is entered.
struct ButDigits {
  using State = std::string;
  static constexpr std::string_view kWork = "a test";

  const TokenSets& tokens;
  Texts entered;
  std::vector<RankRange> accepted;

  State enter(const State& above, const TrieNode&, uint32_t node) {
    const TrieNode& at = tokens.trie[node];
    const auto bytes = tokens.vocabulary->bytes_at(TokenRank(at.first_rank));
    entered.push_back(above + ">" + std::string(bytes.substr(0, at.depth)));
    return at.byte == '1' ? "dead" : above;
  }
  static Verdict verdict(const State& at) { return at == "dead" ? kDeadEnd : kAccepted; }
  State resolve(const State& above, uint32_t node) { return enter(above, tokens.trie[node], node); }
  void take(uint32_t first, uint32_t end, const State&) {
    take_ranks(tokens.trie[first].first_rank, tokens.trie[end].first_rank);
  }
  void take_ranks(uint32_t begin, uint32_t end) { extend(accepted, begin, end); }
  uint32_t look_closer(TrieWalker<ButDigits>&, uint32_t node, const State&, int) {
    return node + 1;
  }
};

TEST_CASE(
    "TrieWalker: in text only the characters that lead elsewhere are entered, each from home") {
  const auto tokens = tokens_of({"x", "xa", "xab", "xa1", "x1", "x1a", "xéa", "y"});
  FirstBytes text;
  for (const uint8_t byte : {'a', 'b', 'x', 'y'}) text.set(byte);
  text.set(0xC3);
  ButDigits recogniser{*tokens, {}, {}};
  TrieWalker<ButDigits> walker(tokens->trie, recogniser, "dead");
  walker.stay(1, *tokens->text_class(text), "top", "home", 0);
  // `x1` is a child of the node at which the walk stays; `xa1` stands behind a character of text.
  CHECK(recogniser.entered == Texts{"top>x1", "home>xa1"});
  CHECK(texts_of(*tokens, recogniser.accepted) == Texts{"x", "xa", "xab", "xéa"});
}

TEST_CASE(
    "TransitionTable: a state has one number, and what a byte leads to is known once it was said") {
  const auto program = unit::program_of(R"(root ::= "ab" | "ac")");
  using Transitions = TransitionTable<ColumnId>;
  Transitions transitions(*program, kDead);
  const auto accepted = [](ColumnId) { return kAccepted; };
  const Move first = transitions.move_to(ColumnId(7), accepted);
  const Move second = transitions.move_to(ColumnId(8), accepted);
  CHECK(first != second);
  CHECK(transitions.move_to(ColumnId(7), [](ColumnId) -> Verdict { return kDeadEnd; }) == first);
  CHECK(transitions.move_to(kDead, accepted) == Transitions::kDeadMove);
  CHECK(Transitions::verdict(transitions.next(first, 'a')) == kUnresolved);
  transitions.set_next(first, 'a', second);
  CHECK(transitions.next(first, 'a') == second);
  CHECK(transitions.at(transitions.next(first, 'a')) == ColumnId(8));
  transitions.look_closer_at(second);
  CHECK(Transitions::verdict(transitions.next(first, 'a')) == kLooksCloser);
  CHECK(transitions.at(transitions.next(first, 'a')) == ColumnId(8));
  CHECK(Transitions::verdict(Transitions::kLeaf) == kAccepted);
  CHECK(Transitions::verdict(Transitions::kAlive) == kUnresolved);
}

}  // namespace
}  // namespace xg2lab
