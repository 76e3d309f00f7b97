// mask/walk/classify.h: entries, held against the definition of accepted, uncertain and rejected.
#include "mask/walk/classify.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "unit/fixture.h"

namespace xg2lab {
namespace {

using unit::column_after;
using unit::kNoLimit;
using unit::program_of;
using unit::rule_named;
using unit::state_after;

using Texts = std::vector<std::string>;

// Words of text, as real vocabularies have most; tokens that end the text, go on after it, or
// break a character off.
const TokenSets& word_tokens() {
  static const auto made = [] {
    Texts tokens = unit::words_over("abcdefg ", 3);
    for (const char* other : {"\"",  "\":", "a\"",  "a\"]", "\",\"a", "\\", "\\n", "a\\nb", "\\x",
                              "é",   "éa",  "\xC3", "]",    "]]",     "[",  "[[",  "<",     "a<",
                              "a<b", ":",   ",",    ">",    "1",      "12", "1,2"})
      tokens.emplace_back(other);
    return unit::tokens_of(tokens);
  }();
  return *made;
}

// A program, the working memory of its walks, and one vocabulary.
struct Case {
  explicit Case(const std::string& grammar, const TokenSets& vocabulary = word_tokens(),
                const MaskOptions& mask_options = {})
      : tokens(vocabulary),
        options(mask_options),
        scratch(program_of(grammar), kNoLimit, ParseOptions(), mask_options.costs) {}

  const Program& program() const { return scratch.table.program(); }
  EntryKey key(const char* rule, const char* text) const {
    const RuleId id = rule_named(program(), rule);
    return {state_after(program(), id, text), id, {}};
  }
  MaskEntry entry(const EntryKey& key, WalkRecord* record = nullptr) {
    return classify(scratch, tokens, key, options, record);
  }

  const TokenSets& tokens;
  MaskOptions options;
  WalkScratch scratch;
};

Texts accepted_of(const TokenSets& tokens, const MaskEntry& entry) {
  std::vector<uint32_t> words(tokens.n_words);
  entry.accepted.write(tokens, words);
  Texts texts;
  for (const uint32_t id : unit::ids_of(words))
    texts.emplace_back(tokens.vocabulary->bytes(TokenId(id)));
  std::ranges::sort(texts);
  return texts;
}

Texts uncertain_of(const TokenSets& tokens, const MaskEntry& entry) {
  CHECK(std::ranges::is_sorted(entry.uncertain));
  Texts texts;
  for (const TokenRank rank : entry.uncertain)
    texts.emplace_back(tokens.vocabulary->bytes_at(rank));
  return texts;
}

// ---- By definition ----

enum class Split : uint8_t { kAccepted, kUncertain, kRejected };

// Accepted: the inside is live after the token. Uncertain: the goal is complete within the token,
// and what follows the goal reads the rest.
Split split_by_definition(Case& on, const EntryKey& key, std::string_view token) {
  ColumnTable& table = on.scratch.table;
  ColumnId inside = inside_of(table, key);
  bool goes_on_beyond = false;
  for (size_t n = 1; n <= token.size() && inside != kDead; ++n) {
    inside = table.step(inside, static_cast<uint8_t>(token[n - 1]));
    if (n == token.size() || !table.at(inside).is_complete) continue;
    goes_on_beyond = goes_on_beyond || !on.options.context_expansion ||
                     column_after(table, table.beyond(key.rule), token.substr(n)) != kDead;
  }
  if (inside != kDead) return Split::kAccepted;
  if (!goes_on_beyond) return Split::kRejected;
  const bool is_unique =
      on.options.context_expansion && on.program().rule(key.rule).has_unique_context;
  return is_unique ? Split::kAccepted : Split::kUncertain;
}

void check_by_definition(Case& on, const EntryKey& key) {
  const MaskEntry entry = on.entry(key);
  Texts accepted;
  Texts uncertain;
  size_t n_rejected = 0;
  const Vocabulary& vocabulary = *on.tokens.vocabulary;
  for (uint32_t rank = 0; rank < vocabulary.n_ranks(); ++rank) {
    const std::string_view bytes = vocabulary.bytes_at(TokenRank(rank));
    switch (split_by_definition(on, key, bytes)) {
      case Split::kAccepted: accepted.emplace_back(bytes); break;
      case Split::kUncertain: uncertain.emplace_back(bytes); break;
      case Split::kRejected: ++n_rejected; break;
    }
  }
  CHECK(accepted_of(on.tokens, entry) == accepted);
  CHECK(uncertain_of(on.tokens, entry) == uncertain);
  CHECK(entry.n_rejected == n_rejected);
  entry.accepted.check_invariants(on.tokens);
}

// All states that read bytes, each as the key of its own entry.
std::vector<EntryKey> own_keys(const Program& program) {
  std::vector<EntryKey> keys;
  for (size_t s = 0; s < program.n_states(); ++s) {
    if (!program.terminals(StateId(s)).empty())
      keys.push_back({StateId(s), program.rule_of(StateId(s)), {}});
  }
  return keys;
}

// Thresholds at which each kind of walk of text is taken wherever it can be.
MaskCosts eager_costs() {
  MaskCosts costs;
  costs.least_text_callers = 0;
  costs.nodes_an_exit_of_home = costs.nodes_a_few_exits = costs.nodes_an_exit_of_chain = 1;
  costs.least_left_for_home = 0;
  return costs;
}

constexpr const char* kList = R"(root ::= "[" item ("," item)* "]"   item ::= [0-9]+)";

TEST_CASE("classify: each token of each state is split as the definition splits it") {
  const char* const grammars[] = {
      kList,
      R"(root ::= "[" root* "]" | "a")",
      R"(root ::= text ":" | "[" text "]" | text   text ::= "\"" ([^"\\] | "\\" [n"])* "\"")",
      R"(root ::= item "<" | "[" item "]"   item ::= [^<\]]+)",
      R"(root ::= item "<" | "[" item   item ::= [^<"]{1,20})",
      R"(root ::= "[" item "ab" | item "a]"   item ::= "a"+)",  // ends twice within "aab"
      R"(root ::= [a-z] [^<]* "<" root? | "é"+)",
      R"(root ::= part*   part ::= [^"<>\\] | "<" part* ">" | "[" part "]")",
      R"(root ::= item item "]"   item ::= "a"* | "b" root)"};
  for (const char* grammar : grammars) {
    for (const bool expands : {true, false}) {
      for (const MaskCosts& costs : {MaskCosts(), eager_costs()}) {
        CAPTURE(grammar);
        CAPTURE(expands);
        MaskOptions options;
        options.context_expansion = expands;
        options.costs = costs;
        // An eager threshold leaves tokens after text uncertain, as if contexts were not expanded.
        if (expands) options.costs.least_text_callers = MaskCosts().least_text_callers;
        Case on(grammar, word_tokens(), options);
        for (const EntryKey& key : own_keys(on.program())) check_by_definition(on, key);
      }
    }
  }
}

TEST_CASE("classify: a token is accepted within the rule, uncertain where two callers may go on") {
  const auto tokens = unit::tokens_of({"23", "a", "1,2", "1]", "1x", ",", "]"});
  Case on(R"(root ::= "[" item "]" | item "," item   item ::= [0-9]+)", *tokens);
  const MaskEntry entry = on.entry(on.key("item", "1"));
  CHECK(accepted_of(*tokens, entry) == Texts{"23"});
  CHECK(uncertain_of(*tokens, entry) == Texts{"1,2", "1]"});
  CHECK(entry.n_rejected == 4);  // `,` too: the callers' items are in the column themselves
}

TEST_CASE("classify: with one context the callers decide, and no token is uncertain") {
  const auto tokens = unit::tokens_of({"23", "1,", "1]", "1]]"});
  Case on(R"(root ::= "[" item "]"   item ::= [0-9]+)", *tokens);
  const EntryKey key = on.key("item", "1");
  REQUIRE(on.program().rule(key.rule).has_unique_context);
  const MaskEntry entry = on.entry(key);
  CHECK(accepted_of(*tokens, entry) == Texts{"1]", "23"});
  CHECK(entry.uncertain.empty());
  on.options.context_expansion = false;
  CHECK(uncertain_of(*tokens, on.entry(key)) == Texts{"1,", "1]", "1]]"});
}

TEST_CASE("classify: after text with many callers, tokens that go on are uncertain unread") {
  MaskOptions options;
  options.costs = eager_costs();
  Case eager(R"(root ::= text ":" | "[" text "]"   text ::= "\"" [^"]* "\"")", word_tokens(),
             options);
  const MaskEntry entry = eager.entry(eager.key("text", "\""));
  CHECK(uncertain_of(word_tokens(), entry) == Texts{"\",\"a", "\":", "a\"]"});
  options.costs.least_text_callers = 3;  // more than the two callers
  Case patient(R"(root ::= text ":" | "[" text "]"   text ::= "\"" [^"]* "\"")", word_tokens(),
               options);
  const MaskEntry read = patient.entry(patient.key("text", "\""));
  CHECK(uncertain_of(word_tokens(), read) == Texts{"\":", "a\"]"});
}

TEST_CASE("classify: in a counted rule tokens are uncertain where the repetition may end") {
  const auto tokens = unit::tokens_of({"a", "aa", "aaa", "a>", "aa>", "a<", "aaa>"});
  Case on(R"(root ::= "<" as ">" | as   as ::= ("a" | "bc"){40,1000})", *tokens);
  const Program& program = on.program();
  const RuleId counted = unit::counted_rule(program);
  const RuleId child = program.rule(counted).repetition->child;
  const auto entry_after = [&](uint32_t n) {
    return on.entry({program.rule(child).start(), counted, {{n, n}}});
  };
  // `n` is the number of matches once the current one is complete.
  CHECK(accepted_of(*tokens, entry_after(10)) == Texts{"a", "aa", "aaa"});
  CHECK(entry_after(10).uncertain.empty());
  CHECK(uncertain_of(*tokens, entry_after(39)) == Texts{"aa>", "aaa>"});
  CHECK(uncertain_of(*tokens, entry_after(40)) == Texts{"a>", "aa>", "aaa>"});
  CHECK(accepted_of(*tokens, entry_after(999)) == Texts{"a", "aa"});
  CHECK(accepted_of(*tokens, entry_after(1000)) == Texts{"a"});
  CHECK(uncertain_of(*tokens, entry_after(1000)) == Texts{"a>"});
  // As the state's own entry, each match of the child ends the rule.
  CHECK(accepted_of(*tokens, on.entry({program.rule(child).start(), child, {}})) == Texts{"a"});
}

TEST_CASE("classify: in a member rule an entry names the members that each token leads to") {
  const auto tokens = unit::tokens_of({"n", "na", "a", "ag", "x", "n!"});
  Case on(R"(root ::= AnyOrder(name, age)   name ::= "na!" | "x"   age ::= "ag!" | "n!" | "x")",
          *tokens);
  const Program& program = on.program();
  const auto start = [&] {
    for (const EntryKey& key : own_keys(program))
      if (program.kind(key.state) == StateKind::kMember) return key;
    return EntryKey{};
  }();
  REQUIRE(program.kind(start.state) == StateKind::kMember);
  const MaskEntry entry = on.entry(start);
  CHECK(accepted_of(*tokens, entry) == Texts{"a", "ag", "n", "n!", "na", "x"});
  // The condition of a token; none if it is accepted whatever was matched before.
  const auto condition_of = [&](std::string_view text) -> const MemberCondition* {
    const uint32_t rank = tokens->vocabulary->find(text).first.value;
    const auto found = std::ranges::find_if(entry.conditions, [&](const MemberCondition& each) {
      return each.begin <= rank && rank < each.end;
    });
    return found == entry.conditions.end() ? nullptr : &*found;
  };
  REQUIRE(condition_of("na") != nullptr);
  REQUIRE(condition_of("ag") != nullptr);
  CHECK(condition_of("na")->members != condition_of("ag")->members);
  for (const char* text : {"na", "ag"}) {
    CHECK_FALSE(entry.member_lists[condition_of(text)->members].empty());
    CHECK_FALSE(condition_of(text)->may_leave);
  }
  CHECK(condition_of("a")->members == condition_of("ag")->members);
  CHECK(condition_of("n") == nullptr);  // either member
  REQUIRE(condition_of("n!") != nullptr);
  CHECK(condition_of("n!")->may_leave);  // a member is matched: its context decides
}

// ---- The record of a walk, and its reuse ----

TEST_CASE("classify: return nodes are those at which the rule dies after its goal was complete") {
  const auto tokens = unit::tokens_of({"1", "12", "1,", "1,2", "1,3", "2x", "x"});
  Case on(kList, *tokens);
  WalkRecord record;
  on.entry(on.key("item", ""), &record);
  Texts paths;
  for (const uint32_t node : record.inside.return_nodes) {
    const TrieNode& at = tokens->trie[node];
    paths.emplace_back(tokens->vocabulary->bytes_at(TokenRank(at.first_rank)).substr(0, at.depth));
  }
  CHECK(paths == Texts{"1,", "2x"});
  CHECK(record.inside.accepted.n_accepted() == 2);
}

TEST_CASE("adapt: an equal rule's inside with other callers gives what classify gives") {
  const char* const text = R"(text ::= "\"" ([^"\\] | "\\" [n"])* "\"")";
  const std::string roots[] = {R"(root ::= text ":" | "[" text "]"   )", R"(root ::= text "]]"   )",
                               R"(root ::= "<" text   )", R"(root ::= (text ",")* text   )"};
  for (const MaskCosts& costs : {MaskCosts(), eager_costs()}) {
    MaskOptions options;
    options.costs = costs;
    options.costs.least_text_callers = MaskCosts().least_text_callers;
    Case donor(roots[0] + text, word_tokens(), options);
    for (const std::string& root : roots) {
      CAPTURE(root);
      Case user(root + text, word_tokens(), options);
      for (const char* read : {"", "\"", "\"a", "\"\\"}) {
        WalkRecord record;
        donor.entry(donor.key("text", read), &record);
        const EntryKey key = user.key("text", read);
        const MaskEntry made = user.entry(key);
        const MaskEntry adapted =
            adapt(user.scratch, user.tokens, key.state, record.inside, user.options, nullptr);
        CHECK(accepted_of(user.tokens, adapted) == accepted_of(user.tokens, made));
        CHECK(uncertain_of(user.tokens, adapted) == uncertain_of(user.tokens, made));
        CHECK(adapted.n_rejected == made.n_rejected);
      }
    }
  }
}

TEST_CASE("classify: recorded steps have the bytes that the walk read behind the rule") {
  const auto tokens = unit::tokens_of({"1", "1,", "1,2", "1]"});
  Case on(kList, *tokens);
  WalkRecord record;
  const EntryKey key = on.key("item", "");
  on.entry(key, &record);
  const ColumnId beyond = on.scratch.table.beyond(key.rule);
  const ColumnId after_comma = on.scratch.table.step(beyond, ',');
  REQUIRE(record.steps.bytes().contains(beyond.value));
  for (const char byte : {',', ']'}) CHECK(record.steps.from(beyond)[static_cast<uint8_t>(byte)]);
  CHECK(record.steps.from(after_comma).count() == 1);
  CHECK(record.steps.from(after_comma)['2']);
}

// ---- The estimate ----

TEST_CASE("estimate_visits: exact if each node is a sample and the state has no home") {
  for (const char* grammar : {kList, R"(root ::= "[" root* "]" | "a" | "abc" root)"}) {
    Case on(grammar);
    for (const EntryKey& key : own_keys(on.program())) {
      WalkRecord record;
      on.entry(key, &record);
      const TokenTrie& trie = on.tokens.trie;
      // The estimate counts the tops that the state does not read; the walk skips them.
      size_t n_unread = 0;
      const ColumnId start = inside_of(on.scratch.table, key);
      for (uint32_t top = 1; top < trie.n_nodes(); top = trie[top].subtree_end)
        n_unread += on.scratch.table.reads(start, trie[top].byte) ? 0 : 1;
      CHECK(estimate_visits(on.scratch, on.tokens, key.state, on.options, trie.n_nodes()) ==
            record.n_visits + n_unread);
    }
  }
}

}  // namespace
}  // namespace xg2lab
