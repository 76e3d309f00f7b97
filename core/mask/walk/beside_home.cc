// Read: enter(), which steps both walks by a byte; look_closer() and differ(), which decide the
// nodes at which the walks are in different states.
#include "mask/walk/beside_home.h"

#include <algorithm>
#include <functional>

#include "support/bits.h"

namespace xg2lab {
namespace {

// The values outside all ranges. Ranges and values are ascending, and so is the result.
template <class T, class Value>
std::vector<T> outside_of(const std::vector<RankRange>& ranges, const std::vector<T>& values,
                          Value value) {
  std::vector<T> left;
  auto range = ranges.begin();
  for (const T& each : values) {
    while (range != ranges.end() && range->second <= value(each)) ++range;
    if (range == ranges.end() || value(each) < range->first) left.push_back(each);
  }
  return left;
}

template <class T>
void merge_ascending(std::vector<T>& values, const std::vector<T>& more) {
  const auto middle = static_cast<ptrdiff_t>(values.size());
  values.insert(values.end(), more.begin(), more.end());
  std::inplace_merge(values.begin(), values.begin() + middle, values.end());
}

}  // namespace

static_assert(Recogniser<BesideHome>);

BesideHome::BesideHome(const TokenSets& tokens, TrieWalker<InsideBeyond>& walker,
                       InsideBeyond& inside, const Home& home, const HomeMask& known, int n_nested,
                       uint64_t n_most_visits)
    : tokens_(tokens),
      own_(walker),
      inside_(inside),
      home_(home),
      known_(known),
      n_nested_(n_nested),
      n_most_visits_(walker.n_visits() + n_most_visits),
      beside_(tokens.trie, *this, State{}) {
  beside_.set_state(0, {own_.state(0), inside_.move_to(known.home), kLooksCloser});
}

bool BesideHome::run() {
  const TokenTrie& trie = tokens_.trie;
  for (uint32_t top = 1; top < trie.n_nodes(); top = trie[top].subtree_end) {
    // Characters that lead to the home need no walk: the home's mask decides the tokens that begin
    // with them.
    const bool is_text = !home_.text().leads_elsewhere(top) && home_.begins(trie[top].byte);
    if (is_text) continue;
    beside_.walk(top, trie[top].subtree_end, n_nested_);
    if (is_over_budget()) return false;
  }
  return true;
}

BesideHome::State BesideHome::enter(const State& above, const TrieNode& node, uint32_t) {
  State here{inside_.move(above.own, node.byte), inside_.move(above.at_home, node.byte),
             kLooksCloser};
  // If the rule has ended within the token, it may have completed with another member than at the
  // home. Then the token needs its own MemberCondition, although the walks agree.
  const bool has_own_condition = inside_.notes_conditions() && inside_.at(here.own).has_ended;
  const bool is_known = here.own == here.at_home && !has_own_condition;
  if (is_known || is_over_budget()) here.verdict = kDeadEnd;
  return here;
}

uint32_t BesideHome::look_closer(TrieWalker<BesideHome>& walker, uint32_t node, const State& here,
                                 int n_nested) {
  const TokenTrie& trie = tokens_.trie;
  uint32_t next = trie[node].subtree_end;
  if (inside_.may_stay(home_, node, inside_.at(here.own)))
    inside_.stay(own_, home_, node, here.own, n_nested);
  else next = inside_.decide(node, walker.state(trie[node].depth - 1u).own, here.own);
  differ(node, next);
  return next;
}

// Records the tokens of these nodes on which the state and the home differ. The state accepts the
// ranges in result().accepted, which this function empties.
void BesideHome::differ(uint32_t begin, uint32_t end) {
  const TokenTrie& trie = tokens_.trie;
  uint32_t rank = trie[begin].first_rank;
  const uint32_t end_rank = trie[end].first_rank;
  extend(other_nodes_, begin, end);
  extend(other_ranks_, rank, end_rank);
  const std::span<const uint32_t> words = known_.words();
  const auto compare_until = [&](uint32_t to, bool is_accepted) {
    for (; rank < to; ++rank) {
      const uint32_t id = tokens_.vocabulary->token_at(TokenRank(rank)).value;
      if (test_bit(words, id) == is_accepted) continue;
      (is_accepted ? more_ : without_).push_back(id);
    }
  };
  std::vector<RankRange>& accepted = inside_.result().accepted;
  for (const auto& [first, past] : accepted) {
    compare_until(std::max(rank, first), false);
    compare_until(past, true);
  }
  accepted.clear();
  compare_until(end_rank, false);
}

void BesideHome::add_lists_of_home() {
  EntryWalkResult& result = inside_.result();
  const auto value_of = [](TokenRank rank) { return rank.value; };
  merge_ascending(result.alive_beyond, outside_of(other_ranks_, known_.alive_beyond, value_of));
  merge_ascending(result.return_nodes,
                  outside_of(other_nodes_, known_.return_nodes, std::identity()));
}

AdaptiveMask BesideHome::accepted(const TokenSets& tokens) {
  return AdaptiveMask::like(tokens, known_.accepted, std::move(without_), std::move(more_));
}

}  // namespace xg2lab
