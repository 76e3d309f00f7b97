// mask/entries/mask_store.h: each entry is made once, by whoever comes first, and found ever after.
#include "mask/entries/mask_store.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "mask/entries/literal_entry.h"
#include "mask/entries/token_entry.h"
#include "mask/walk/classify.h"
#include "support/budget.h"
#include "support/error.h"
#include "unit/fixture.h"

namespace xg2lab {
namespace {

using unit::kNoLimit;
using unit::program_of;
using unit::rule_named;
using unit::state_after;

constexpr const char* kList = R"(root ::= "[" item ("," item)* "]"   item ::= [a-z]+ | text)"
                              R"(   text ::= "\"" [^"]* "\"")";

std::shared_ptr<const TokenSets> many_tokens() {
  static const auto made = [] {
    std::vector<std::string> tokens = unit::words_over("abcdef,]\"", 4);
    tokens.emplace_back("é");
    return unit::tokens_of(tokens);
  }();
  return made;
}

struct Store {
  explicit Store(const char* grammar, const MaskOptions& options = {}, Sharing sharing = {},
                 std::shared_ptr<const TokenSets> vocabulary = many_tokens())
      : program(program_of(grammar)),
        tokens(std::move(vocabulary)),
        id(next_grammar_id()),
        store(program, tokens, kNoLimit, ParseOptions(), options, std::move(sharing), id) {}

  EntryKey key(const char* rule, const char* text) const {
    const RuleId of = rule_named(*program, rule);
    return {state_after(*program, of, text), of, {}};
  }
  std::vector<uint32_t> ids(const MaskEntry& entry) const {
    std::vector<uint32_t> words(tokens->n_words);
    entry.accepted.write(*tokens, words);
    return unit::ids_of(words);
  }

  std::shared_ptr<const Program> program;
  std::shared_ptr<const TokenSets> tokens;
  GrammarId id;
  MaskStore store;
};

bool are_equal(const Store& on, const MaskEntry& a, const MaskEntry& b) {
  return on.ids(a) == on.ids(b) && a.uncertain == b.uncertain && a.n_rejected == b.n_rejected;
}

// All states that read bytes.
std::vector<EntryKey> own_keys(const Program& program) {
  std::vector<EntryKey> keys;
  for (size_t s = 0; s < program.n_states(); ++s) {
    if (!program.terminals(StateId(s)).empty())
      keys.push_back({StateId(s), program.rule_of(StateId(s)), {}});
  }
  return keys;
}

// ---- One thread ----

TEST_CASE("MaskStore: an entry is made when somebody asks for it; no other entry is made with it") {
  Store on(kList);
  const EntryKey key = on.key("item", "a");
  CHECK(on.store.memory_size_bytes() == 0);
  CHECK(on.store.find(key.state) == nullptr);
  const MaskEntry& entry = on.store.entry(key);
  CHECK(on.store.find(key.state) == &entry);
  CHECK(on.store.find(on.key("text", "\"").state) == nullptr);
  CHECK(on.store.memory_size_bytes() >= entry.memory_size_bytes());
  CHECK(are_equal(on, entry, on.store.made_anew(key.state)));
}

TEST_CASE("MaskStore I1: an entry is made at its first visit only, and stays where it is") {
  Store on(kList);
  for (const EntryKey& key : own_keys(*on.program)) {
    std::optional<CacheResult> how;
    const MaskEntry& entry = on.store.entry(key, &how);
    CHECK(how == CacheResult::kMiss);
    std::optional<CacheResult> again;
    CHECK(&on.store.entry(key, &again) == &entry);
    CHECK_FALSE(again.has_value());
  }
}

TEST_CASE("MaskStore: hits are counted for a state whether or not its entry is made") {
  Store on(kList);
  const StateId state = on.key("item", "a").state;
  CHECK(on.store.n_hits(state) == 0);
  on.store.count_hit(state);
  on.store.count_hit(state);
  CHECK(on.store.n_hits(state) == 2);
  CHECK(on.store.n_hits(on.key("text", "\"").state) == 0);
  CHECK(on.store.find(state) == nullptr);
}

TEST_CASE("MaskStore: an entry made ahead says so; nothing is made twice for it") {
  Store on(kList);
  const EntryKey ahead = on.key("item", "a");
  CHECK(on.store.make_ahead(ahead.state));
  const MaskEntry* made = on.store.find(ahead.state);
  REQUIRE(made != nullptr);
  CHECK(on.store.origin(ahead).in_background);
  CHECK_FALSE(on.store.make_ahead(ahead.state));
  std::optional<CacheResult> how;
  CHECK(&on.store.entry(ahead, &how) == made);
  CHECK_FALSE(how.has_value());
  const EntryKey other = on.key("text", "\"");
  on.store.entry(other);
  CHECK_FALSE(on.store.origin(other).in_background);
  CHECK_FALSE(on.store.make_ahead(other.state));
}

TEST_CASE("MaskStore: a loaded entry is the state's own, unless the state has one") {
  Store on(kList);
  const EntryKey key = on.key("item", "a");
  MaskEntry loaded = on.store.made_anew(key.state);
  loaded.build_ns = 123;
  on.store.put(key.state, loaded);
  const MaskEntry* kept = on.store.find(key.state);
  REQUIRE(kept != nullptr);
  CHECK(kept->build_ns == 123);
  CHECK(on.store.origin(key).unshared == Unshared::kLoaded);
  loaded.build_ns = 456;
  on.store.put(key.state, loaded);
  CHECK(on.store.find(key.state) == kept);
  CHECK(&on.store.entry(key) == kept);
}

TEST_CASE("MaskStore: a build that is refused for its time ends its claim: the next call builds") {
  Store on(kList);
  const EntryKey key = on.key("text", "\"");
  {
    const Budget budget({-1.0, kUsualWorkBytes}, Work::kMask);  // over before it begins
    check_budget("a test");
    CHECK_THROWS_AS(on.store.entry(key), Error);
    CHECK_THROWS_AS(on.store.make_ahead(key.state), Error);
  }
  CHECK(on.store.find(key.state) == nullptr);
  CHECK(are_equal(on, on.store.entry(key), on.store.made_anew(key.state)));
}

// ---- Keys: counted rules, token edges ----

TEST_CASE("MaskStore: in a counted rule each set of counts has an entry of its own") {
  Store on(R"(root ::= "<" ("a" | "bc"){40,1000} "]")");
  const RuleId of = unit::counted_rule(*on.program);
  const RuleId child = on.program->rule(of).repetition->child;
  const StateId start = on.program->rule(child).start();
  const auto counted = [&](uint32_t n) { return EntryKey{start, of, {{n, n}}}; };
  const MaskEntry& early = on.store.entry(counted(2));
  const MaskEntry& late = on.store.entry(counted(1000));
  CHECK(&early != &late);
  CHECK(on.ids(early) != on.ids(late));
  CHECK(on.store.find(start) == nullptr);  // not the state's own
  std::optional<CacheResult> how;
  CHECK(&on.store.entry(counted(2), &how) == &early);
  CHECK(&on.store.entry(counted(1000), &how) == &late);
  CHECK_FALSE(how.has_value());
  const MaskEntry& own = on.store.entry({start, child, {}});
  CHECK(on.store.find(start) == &own);
  CHECK(&own != &early);
  CHECK(on.store.origin(counted(2)).unshared == Unshared::kNoPool);
}

TEST_CASE(
    "MaskStore: before a token edge the entry is the edge's set of ids, made without a walk") {
  const auto tokens = unit::tokens_of({"a", "b", "c", "d"});
  Store on(R"(root ::= Token(1, 3) | ExcludeToken(1) "x")", {}, {}, tokens);
  std::set<std::vector<uint32_t>> found;
  for (size_t s = 0; s < on.program->n_states(); ++s) {
    const StateId state(s);
    if (!on.program->is_before_token(state)) continue;
    const EntryKey key{state, on.program->rule_of(state), {}};
    const MaskEntry& entry = on.store.entry(key);
    found.insert(on.ids(entry));
    CHECK(entry.uncertain.empty());
    CHECK(entry.n_rejected + entry.accepted.n_accepted() == 4);
    CHECK(on.store.origin(key).unshared == Unshared::kTokenEdge);
    CHECK(on.store.estimate_visits(state) == 0);
    CHECK_FALSE(on.store.is_left_aside(state));
  }
  CHECK(found == std::set<std::vector<uint32_t>>{{1, 3}, {0, 2, 3}});
}

TEST_CASE(
    "token_entry: special tokens may be in a set; stop tokens, padding and empty ones never") {
  VocabularySpec spec;
  spec.tokens = {"a", "<|tool|>", "</s>", "", "b"};
  spec.special_tokens = {TokenId(1)};
  spec.stop_tokens = {TokenId(2)};
  spec.n_tokens = 7;  // ids 5 and 6 are padding
  const TokenSets tokens(std::make_shared<const Vocabulary>(std::move(spec)));
  const auto ids_of = [&](const TokenSet& set) {
    const MaskEntry entry = token_entry(tokens, set);
    std::vector<uint32_t> words(tokens.n_words);
    entry.accepted.write(tokens, words);
    return unit::ids_of(words);
  };
  std::vector<TokenId> all;
  for (uint32_t id = 0; id < 9; ++id) all.emplace_back(id);
  CHECK(ids_of({all, false}) == std::vector<uint32_t>{0, 1, 4});
  CHECK(ids_of({{}, true}) == std::vector<uint32_t>{0, 1, 4});
  CHECK(ids_of({{TokenId(1), TokenId(8)}, true}) == std::vector<uint32_t>{0, 4});
  CHECK(ids_of({{}, false}).empty());
}

// ---- Literals ----

TEST_CASE("literal_entry: the entry that a walk makes, wherever it makes one") {
  for (const char* grammar :
       {R"(root ::= "abcdef" [a-c]* "fedcba")", R"(root ::= "ab" word "cd" | "ba" word
          word ::= "fadedecade" | "facade")",
        R"(root ::= ("abcdef" ","){2,4} "\"def\"")", R"(root ::= "é" "abécdé" root?)"}) {
    CAPTURE(std::string(grammar));
    const Store on(grammar);
    WalkScratch scratch(on.program, kNoLimit, ParseOptions(), MaskCosts());
    size_t n_literal = 0;
    for (size_t s = 0; s < on.program->n_states(); ++s) {
      const StateId state(s);
      const auto found = literal_entry(*on.tokens, *on.program, state);
      if (!found) continue;
      ++n_literal;
      const MaskEntry walked =
          classify(scratch, *on.tokens, {state, on.program->rule_of(state), {}}, MaskOptions());
      CHECK(on.ids(*found) == on.ids(walked));
      CHECK(found->uncertain.empty());
      CHECK(walked.uncertain.empty());
      CHECK(found->n_rejected == walked.n_rejected);
    }
    CHECK(n_literal > 0);
  }
}

TEST_CASE(
    "literal_entry: none if a token goes on after the literal, or the state is not within one") {
  const Store on(R"(root ::= "abcdef" [ab] "c")");
  const auto entry_after = [&](const char* text) {
    return literal_entry(*on.tokens, *on.program, on.key("root", text).state);
  };
  CHECK(entry_after("").has_value());
  CHECK(entry_after("ab").has_value());         // the longest tokens have 4 bytes: cdef
  CHECK_FALSE(entry_after("abc").has_value());  // defa
  CHECK_FALSE(entry_after("abcdef").has_value());
  CHECK_FALSE(entry_after("abcdefa").has_value());  // c, and then the rule ends
}

// ---- The pool ----

TEST_CASE("MaskStore: two grammars with one pool build an equal entry once") {
  Sharing sharing;
  sharing.pool = std::make_shared<MaskPool>(many_tokens(), -1);
  Store donor(kList, {}, sharing);
  Store user(kList, {}, sharing);
  const EntryKey key = donor.key("text", "\"");
  std::optional<CacheResult> how;
  const MaskEntry& entry = donor.store.entry(key, &how);
  CHECK(how == CacheResult::kMiss);
  CHECK(donor.store.origin(key).donor == donor.id);
  how.reset();
  CHECK(&user.store.entry(key, &how) == &entry);
  CHECK(how == CacheResult::kPerfectHit);
  CHECK(user.store.origin(key).donor == donor.id);
  CHECK(user.store.origin(key).unshared == Unshared::kIsShared);
}

TEST_CASE("MaskStore: among other callers only the inside is taken over, and the entry is right") {
  Sharing sharing;
  sharing.pool = std::make_shared<MaskPool>(many_tokens(), -1);
  const std::string text = R"(   text ::= "\"" [^"]* "\"")";
  Store donor((R"(root ::= text "," | text "]")" + text).c_str(), {}, sharing);
  Store user((R"(root ::= text ",a" | "a" text)" + text).c_str(), {}, sharing);
  donor.store.entry(donor.key("text", "\""));
  std::optional<CacheResult> how;
  const EntryKey key = user.key("text", "\"");
  const MaskEntry& adapted = user.store.entry(key, &how);
  CHECK(how == CacheResult::kPartialHit);
  CHECK(user.store.origin(key).donor == donor.id);
  CHECK(are_equal(user, adapted, user.store.made_anew(key.state)));
}

TEST_CASE("MaskStore: thresholds say what is kept from the pool, and the reason is told") {
  const auto reason = [](const MaskCosts& costs, const char* rule, const char* text) {
    Sharing sharing;
    sharing.pool = std::make_shared<MaskPool>(many_tokens(), -1);
    MaskOptions options;
    options.costs = costs;
    Store on(kList, options, sharing);
    const EntryKey key = on.key(rule, text);
    on.store.entry(key);
    CHECK(sharing.pool->statistics().n_states ==
          (on.store.origin(key).unshared == Unshared::kIsShared ? 1 : 0));
    return on.store.origin(key).unshared;
  };
  MaskCosts costs;
  CHECK(reason(costs, "text", "\"") == Unshared::kIsShared);
  costs.nodes_a_short_walk = 1;
  CHECK(reason(costs, "text", "") == Unshared::kShortWalk);
  costs = MaskCosts();
  costs.least_name_edges = 0;
  costs.nodes_a_name_edge = kNoLimit;
  CHECK(reason(costs, "text", "\"") == Unshared::kLongName);
  costs = MaskCosts();
  costs.most_named_states = 0;  // the trie has more nodes than the grammar has states
  CHECK(reason(costs, "text", "\"") == Unshared::kIsShared);
  CHECK(std::string(unshared_name(Unshared::kShortWalk)) == "short_walk");
  CHECK(unshared_name(Unshared::kIsShared) == nullptr);
}

// ---- The plan's facts ----

TEST_CASE("MaskStore: a walk is planned where as many entries are missing as the threshold says") {
  MaskOptions options;
  options.costs.least_missing_for_walk = 2;
  Store on(kList, options);
  const EntryKey keys[] = {on.key("item", "a"), on.key("text", "\"")};
  CHECK(on.store.plan(keys, false, false) == MaskWay::kWalk);
  CHECK(on.store.plan(keys, true, false) == MaskWay::kEntries);  // before a token edge
  on.store.entry(keys[0]);
  CHECK(on.store.plan(keys, false, false) == MaskWay::kEntries);
}

TEST_CASE("MaskStore: after a walk that made many columns, missing entries plan no walk") {
  MaskOptions options;
  options.costs.least_missing_for_walk = 2;
  options.costs.most_new_columns = 10;
  Store on(kList, options);
  const EntryKey keys[] = {on.key("item", "a"), on.key("text", "\"")};
  on.store.note_walk(10);
  CHECK(on.store.plan(keys, false, false) == MaskWay::kWalk);
  on.store.note_walk(11);
  CHECK(on.store.plan(keys, false, false) == MaskWay::kEntries);
}

TEST_CASE("MaskStore: without entries every state is left aside, without walks none is") {
  MaskOptions options;
  options.ways.entries = false;
  Store walks(kList, options);
  options.ways = {};
  options.ways.walks = false;
  Store entries(kList, options);
  for (const EntryKey& key : own_keys(*walks.program)) {
    CHECK(walks.store.is_left_aside(key.state));
    CHECK_FALSE(entries.store.is_left_aside(key.state));
  }
}

// ---- Several threads ----

// Runs work(i) for i < n in as many threads, which begin at once.
template <class Work>
void in_threads(size_t n, const Work& work) {
  std::atomic<size_t> n_waiting{0};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < n; ++i) {
    threads.emplace_back([&, i] {
      ++n_waiting;
      while (n_waiting < n) std::this_thread::yield();
      work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Palindromes: each trie node leads to a column of its own, so that an entry takes long and the
// threads meet.
Store slow_store() {
  static const auto tokens = unit::tokens_of(unit::words_over("abcdefgh", 4));
  std::string grammar = "root ::= \"\"";
  for (const char letter : std::string_view("abcdefgh"))
    grammar.append(" | \"").append(1, letter).append("\" root \"").append(1, letter).append("\"");
  return Store(grammar.c_str(), {}, {}, tokens);
}

TEST_CASE("MaskStore I1: threads that want one entry get the same, made by one of them") {
  constexpr size_t kThreads = 4;
  for (size_t round = 0; round < 5; ++round) {
    Store on = slow_store();
    const EntryKey key = on.key("root", "");
    std::vector<const MaskEntry*> entries(kThreads);
    std::vector<size_t> n_made(kThreads);
    in_threads(kThreads, [&](size_t i) {
      std::optional<CacheResult> how;
      entries[i] = &on.store.entry(key, &how);
      n_made[i] += how.has_value() ? 1 : 0;
    });
    for (const MaskEntry* entry : entries) CHECK(entry == on.store.find(key.state));
    CHECK(n_made[0] + n_made[1] + n_made[2] + n_made[3] == 1);
  }
}

TEST_CASE("MaskStore: threads that make an entry ahead and threads that ask for it make one") {
  for (size_t round = 0; round < 5; ++round) {
    Store on = slow_store();
    const EntryKey key = on.key("root", "");
    std::vector<size_t> n_made(4);
    in_threads(n_made.size(), [&](size_t i) {
      std::optional<CacheResult> how;
      if (i % 2 == 0) n_made[i] += on.store.make_ahead(key.state) ? 1 : 0;
      else on.store.entry(key, &how);
      n_made[i] += how.has_value() ? 1 : 0;
    });
    CHECK(n_made[0] + n_made[1] + n_made[2] + n_made[3] == 1);
    CHECK(are_equal(on, *on.store.find(key.state), on.store.made_anew(key.state)));
  }
}

}  // namespace
}  // namespace xg2lab
