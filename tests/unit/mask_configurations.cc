// mask/configurations.h: a column's mask is what the column accepts, made once and then looked up.
#include "mask/configurations.h"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "unit/fixture.h"

namespace xg2lab {
namespace {

using unit::column_after;
using unit::kNoLimit;
using unit::program_of;
using unit::rule_named;

using Ids = std::vector<uint32_t>;

const std::shared_ptr<const TokenSets>& word_tokens() {
  static const auto made = [] {
    std::vector<std::string> tokens = unit::words_over("abcd ", 3);
    for (const char* other :
         {"[",   "]",   "[[", "a]", "]]", ",",  ",a", "\"",   "\",\"", "a\"", "if",
          "in ", " if", "+",  "+a", ">",  "a>", "é",  "\xC3", "1",     "12"})
      tokens.emplace_back(other);
    return unit::tokens_of(tokens);
  }();
  return made;
}

struct Case {
  explicit Case(const std::string& grammar, const MaskOptions& options = {},
                size_t max_bytes = kNoLimit,
                std::shared_ptr<const TokenSets> vocabulary = word_tokens())
      : tokens(std::move(vocabulary)),
        program(program_of(grammar)),
        store(std::make_shared<MaskStore>(program, tokens, kNoLimit, ParseOptions(), options,
                                          Sharing(), next_grammar_id())),
        configurations(program, store, max_bytes, ParseOptions()) {}

  ColumnId after(std::string_view text) { return column_after(configurations.table(), text); }
  Ids ids(ColumnId column, FillReport* report = nullptr) {
    std::vector<uint32_t> words(tokens->n_words, ~0u);
    configurations.write(configurations.mask(column, report), words);
    return unit::ids_of(words);
  }
  // I1, the definition: the tokens after which the column is alive.
  Ids accepted(ColumnId column) {
    Ids ids;
    for (uint32_t id = 0; id + 1 < tokens->vocabulary->n_tokens(); ++id)
      if (configurations.after(column, TokenId(id)) != kDead) ids.push_back(id);
    return ids;
  }

  std::shared_ptr<const TokenSets> tokens;
  std::shared_ptr<const Program> program;
  std::shared_ptr<MaskStore> store;
  Configurations configurations;
};

constexpr const char* kList = R"(root ::= "[" (item ("," item)*)? "]"   item ::= [a-d]+ | root)";
constexpr const char* kCounted = R"(root ::= "[" ([ab] | ",a"){40,1000} ">")";

// ---- The mask is what is accepted ----

TEST_CASE("Configurations I1: in every way the mask has the tokens that the column accepts") {
  const struct {
    const char* grammar;
    std::vector<const char*> texts;
  } cases[] = {
      {kList, {"", "[", "[a", "[[", "[[a]", "[]"}},
      {kCounted, {"", "[", "[,", "[aaaa", "[,a"}},
      {R"(root ::= (word " "?)*   word ::= "if" | "in " sum | name   sum ::= name "+" sum | name)"
       R"(   name ::= [a-d]+ "1"?)",
       {"", "i", "a", "if", "in a", "in a+", "ab "}},
      {R"(root ::= text "," text | "[" text "]"   text ::= "\"" [^"]* "\"")",
       {"", "\"", "\"a", "\"a\"", "[\"", "\"\",\""}},
      {R"(root ::= AnyOrder(x, y, z?, sep=",")   x ::= "a" | "ab"   y ::= "a]"   z ::= [a-d]+)",
       {"", "a", "a,", "ab,a", "a],"}},
      {R"(root ::= Token(1, 3) "a" | "a" root | ExcludeToken(2) "]")", {"", "a"}},
      {R"(root ::= x "]"   x[max_tokens=3] ::= [a-d]*)", {"", "a"}},
      {R"(root ::= part*   part ::= [^\[\]] | "[" part* "]")", {"", "a", "[", "[[a"}}};
  MaskOptions entries;
  entries.ways.walks = false;
  MaskOptions walks;
  walks.ways.entries = walks.ways.shared_walks = false;
  MaskOptions shared;
  shared.ways.entries = false;
  MaskOptions plain;
  plain.token_classes = plain.context_expansion = false;
  for (const auto& [grammar, texts] : cases) {
    for (const MaskOptions& options : {MaskOptions(), entries, walks, shared, plain}) {
      Case on(grammar, options);
      for (const char* text : texts) {
        CAPTURE(grammar);
        CAPTURE(text);
        const ColumnId column = on.after(text);
        REQUIRE(column != kDead);
        const Ids expected = on.accepted(column);
        CHECK(on.ids(column) == expected);
        CHECK(on.configurations.mask(column, nullptr).n_allowed == expected.size());
      }
    }
  }
}

TEST_CASE("Configurations: uncertain tokens are checked in their context, which decides them") {
  Case on(R"(root ::= "a" x "]" | "b" x ","   x ::= "c" | "d")");
  FillReport report;
  const auto id = [&](const char* text) {
    return on.tokens->vocabulary->token_at(on.tokens->vocabulary->find(text).first).value;
  };
  on.ids(on.after("a"), &report);
  CHECK(report.n_checked == 0);
  Case ends(R"(root ::= "[" x "]" | "," x ","   x ::= [a-d]+)");
  const Ids before_bracket = ends.ids(ends.after("[a"), &report);
  CHECK(report.n_checked > 0);
  CHECK(std::ranges::binary_search(before_bracket, id("a]")));
  CHECK_FALSE(std::ranges::binary_search(before_bracket, id(",")));
  const Ids before_comma = ends.ids(ends.after(",a"), &report);
  CHECK(std::ranges::binary_search(before_comma, id(",")));
  CHECK_FALSE(std::ranges::binary_search(before_comma, id("a]")));
}

// ---- Made once ----

TEST_CASE("Configurations: a mask is made at the first call and known from then on") {
  Case on(kList);
  const ColumnId column = on.after("[a");
  CHECK_FALSE(on.configurations.knows(column));
  FillReport report;
  const FinalMask& mask = on.configurations.mask(column, &report);
  CHECK(report.way == MaskWay::kEntries);
  CHECK(report.cache == CacheResult::kMiss);
  CHECK(report.n_built > 0);
  CHECK(on.configurations.knows(column));
  CHECK_FALSE(on.configurations.knows(on.after("[")));
  CHECK(&on.configurations.mask(column, &report) == &mask);
  CHECK(report.way == MaskWay::kWasKnown);
  CHECK(report.cache == CacheResult::kContextHit);
  CHECK(report.n_built == 0);
  CHECK(&on.configurations.mask(on.after("[d,ab"), nullptr) == &mask);  // an equal column
}

TEST_CASE("Configurations: another column of known entries is a perfect hit that builds none") {
  Case on(R"(root ::= "[" x "]" | "," x ","   x ::= [a-d]+)");
  FillReport report;
  on.ids(on.after("[a"), &report);
  CHECK(report.cache == CacheResult::kMiss);
  for (const EntryKey& key : on.configurations.entry_keys(on.after(",a"))) on.store->entry(key);
  on.ids(on.after(",a"), &report);
  CHECK(report.cache == CacheResult::kPerfectHit);
  CHECK(report.way == MaskWay::kEntries);
  CHECK(report.n_built == 0);
}

TEST_CASE("Configurations: without entries a mask is walked, and no entry is made") {
  MaskOptions options;
  options.ways.entries = false;
  Case on(kList, options);
  FillReport report;
  const ColumnId column = on.after("[a");
  on.ids(column, &report);
  CHECK(report.way == MaskWay::kWalk);
  CHECK(report.cache == CacheResult::kMiss);
  for (const EntryKey& key : on.configurations.entry_keys(column))
    CHECK(on.store->find(key.state) == nullptr);
}

TEST_CASE("Configurations: shared walks that need more look-ups than allowed become one walk") {
  const char* const grammar =
      R"(root ::= (word " ")* word   word ::= "in " name | name   name ::= [a-i]+)";
  MaskOptions options;
  options.ways.entries = false;
  FillReport report;
  Case shared(grammar, options);
  const Ids ids = shared.ids(shared.after("a"), &report);
  REQUIRE(report.way == MaskWay::kSharedWalks);
  options.costs.most_shared_steps = 0;
  Case single(grammar, options);
  CHECK(single.ids(single.after("a"), &report) == ids);
  CHECK(report.way == MaskWay::kWalk);
}

TEST_CASE("Configurations: threads that ask for one mask get the same one") {
  for (size_t round = 0; round < 10; ++round) {
    Case on(kList);
    const ColumnId column = on.after("[a");
    std::vector<const FinalMask*> found(4);
    std::vector<std::thread> threads;
    for (const FinalMask*& mine : found)
      threads.emplace_back([&] { mine = &on.configurations.mask(column, nullptr); });
    for (std::thread& thread : threads) thread.join();
    for (const FinalMask* each : found) CHECK(each == found.front());
  }
}

// ---- Clamped columns ----

TEST_CASE("Configurations: columns with counts far from the bounds share their clamped mask") {
  Case on(kCounted);
  const auto after = [&](size_t n) { return on.after("[" + std::string(n, 'a')); };
  const ColumnId few = after(100);
  const ColumnId more = after(500);
  REQUIRE(few != more);
  const FinalMask& mask = on.configurations.mask(few, nullptr);
  FillReport report;
  CHECK(&on.configurations.mask(more, &report) == &mask);
  CHECK(report.way == MaskWay::kWasKnown);
  CHECK(on.configurations.knows(more));
  CHECK(&on.configurations.mask(after(10), nullptr) != &mask);  // too few to end
  for (const size_t n : {0, 37, 38, 39, 40, 996, 997, 998, 999, 1000}) {
    CAPTURE(n);
    CHECK(on.ids(after(n)) == on.accepted(after(n)));
  }
}

TEST_CASE("Configurations: entry_keys are one for each state that scans, with clamped counts") {
  Case plain(R"(root ::= word "]" | name ","   word ::= "if" | "a"   name ::= [a-d]+)");
  const std::vector<EntryKey> keys = plain.configurations.entry_keys(plain.after(""));
  CHECK(keys.size() == 2);
  CHECK(std::ranges::is_sorted(keys));
  for (const EntryKey& key : keys) {
    CHECK(key.counts.empty());
    CHECK(key.rule == plain.program->rule_of(key.state));
  }
  Case counted(kCounted);
  const RuleId of = unit::counted_rule(*counted.program);
  const auto keys_after = [&](size_t n) {
    return counted.configurations.entry_keys(counted.after("[" + std::string(n, 'a')));
  };
  REQUIRE(keys_after(10).size() == 1);
  CHECK(keys_after(10).front().rule == of);
  CHECK_FALSE(keys_after(10).front().counts.empty());
  CHECK(keys_after(10) == keys_after(20));
  CHECK(keys_after(10) != keys_after(39));
  // Once the bound is reached, the state behind the repetition scans too.
  CHECK(keys_after(100).size() == 2);
  CHECK(keys_after(100) == keys_after(500));
}

TEST_CASE("Configurations: an item that waits with several sets of counts has a key for each") {
  // After "ba" the inner `x` was entered from two matches of `y`, with counts of their own.
  Case on(R"(root ::= y{40,1000} ">"   y ::= "a" | "b" y | "ba")");
  const ColumnId column = on.after(std::string(38, 'a') + "ba");
  CHECK(on.ids(column) == on.accepted(column));
  const std::vector<EntryKey> keys = on.configurations.entry_keys(column);
  CHECK(std::ranges::adjacent_find(keys) == keys.end());
}

// ---- Writing ----

// A grammar whose mask lists more ids than a fill sets one by one.
constexpr const char* kMixed = R"(root ::= [ab]+ | [cd]+ | [ef]+)";

std::shared_ptr<const TokenSets> long_words() {
  static const auto made = unit::tokens_of(unit::words_over("abcdef", 5));
  return made;
}

std::vector<uint32_t> written(Case& on, const FinalMask& mask) {
  std::vector<uint32_t> words(on.tokens->n_words, ~0u);
  on.configurations.write(mask, words);
  return words;
}

TEST_CASE("Configurations: a mask that is often filled is kept as a row, with the same words") {
  Case on(kMixed, {}, kNoLimit, long_words());
  const FinalMask& mask = on.configurations.mask(on.after(""), nullptr);
  REQUIRE(mask.n_listed() > 128);
  const std::vector<uint32_t> first = written(on, mask);
  for (uint32_t n = 1; n < WrittenRow::kTimes; ++n) {
    CHECK(mask.row.words() == nullptr);
    CHECK(written(on, mask) == first);
  }
  REQUIRE(mask.row.words() != nullptr);
  CHECK(std::equal(first.begin(), first.end(), mask.row.words()));
  CHECK(written(on, mask) == first);
  CHECK(unit::ids_of(first) == on.accepted(on.after("")));
}

TEST_CASE("Configurations: no row is kept of a mask with few ids, nor without room for columns") {
  Case few(R"(root ::= "ab" | "cd")", {}, kNoLimit, long_words());
  const FinalMask& small = few.configurations.mask(few.after(""), nullptr);
  REQUIRE(small.n_listed() < 128);
  Case full(kMixed, {}, 1, long_words());
  const FinalMask& large = full.configurations.mask(full.after(""), nullptr);
  for (uint32_t n = 0; n < 3 * WrittenRow::kTimes; ++n) {
    written(few, small);
    written(full, large);
  }
  CHECK(small.row.words() == nullptr);
  CHECK(large.row.words() == nullptr);
}

TEST_CASE("FinalMask: a union that is close to one entry refers to it, and lists the difference") {
  // Text and a few names beside it: the entry of the text has nearly all tokens.
  Case on(R"(root ::= text "]" | "12"   text ::= [^\]1]*)");
  const ColumnId column = on.after("");
  const FinalMask& mask = on.configurations.mask(column, nullptr);
  CHECK(mask.merged == nullptr);
  CHECK_FALSE(mask.extra.empty());
  CHECK(mask.n_allowed == on.accepted(column).size());
  const bool is_an_entrys = std::ranges::any_of(
      on.configurations.entry_keys(column),
      [&](const EntryKey& key) { return &on.store->entry(key).accepted == mask.base; });
  CHECK(is_an_entrys);
}

// ---- Steps and memory ----

TEST_CASE("Configurations: after() reads a token's bytes, and token edges take it whole") {
  Case on(R"(root ::= Token(1) "x" | "ab" "y")", {}, kNoLimit,
          unit::tokens_of({"a", "ab", "b", "x", "y"}));
  const ColumnId start = on.configurations.table().start();
  CHECK(on.configurations.after(start, TokenId(0)) == on.after("a"));
  const ColumnId both = on.configurations.after(start, TokenId(1));
  CHECK(both != on.after("ab"));  // by its bytes and by the edge
  CHECK(on.configurations.after(both, TokenId(3)) != kDead);
  CHECK(on.configurations.after(both, TokenId(4)) != kDead);
  CHECK(on.configurations.after(start, TokenId(2)) == kDead);
  CHECK(on.configurations.walk(start, "abz") == kDead);
  CHECK(on.configurations.walk(start, "") == start);
}

TEST_CASE("Configurations: a text beyond the bytes of one budget is read to its end") {
  Case on(R"(root ::= [ab]* "]")");
  const std::string text(200'000, 'a');
  const ColumnId start = on.configurations.table().start();
  CHECK(on.configurations.walk(start, text) == on.after("a"));
  CHECK(on.configurations.walk(start, text + "]") == on.after("a]"));
  CHECK(on.configurations.walk(start, text + "c") == kDead);
}

TEST_CASE("Configurations: masks count as memory, and past the bound the object is full") {
  Case on(kList);
  const size_t before = on.configurations.memory_size_bytes();
  for (const char* text : {"", "[", "[a", "[[a"}) on.ids(on.after(text));
  CHECK(on.configurations.memory_size_bytes() > before);
  CHECK_FALSE(on.configurations.is_full());
  Case small(kList, {}, 1);
  CHECK(small.configurations.is_full());
  CHECK(small.ids(small.after("[a")) == on.ids(on.after("[a")));
}

TEST_CASE("Configurations: the temperature is that of the rules that the next byte may be of") {
  Case on(R"(root ::= "[" x "]" | y   x[temperature=0.5] ::= [a-d]+   y ::= ",")");
  CHECK(on.configurations.temperature(on.after("[")).value == 0.5);
  CHECK_FALSE(on.configurations.temperature(on.after("")).value.has_value());
  CHECK(on.configurations.temperature(on.after("[a")).value == 0.5);
  Case none(kList);
  CHECK_FALSE(none.configurations.temperature(none.after("")).value.has_value());
}

}  // namespace
}  // namespace xg2lab
