// support/fields.h, support/field_checks.h, support/word_rows.h: a list of fields and its visitors.
#include "support/fields.h"

#include <doctest/doctest.h>

#include "support/field_checks.h"
#include "support/word_rows.h"
#include "unit/field_text.h"

namespace xg2lab {
namespace unit_fields {

struct Leaf {
  uint32_t number = 0;
  bool is_last = false;
  RuleId rule;
  friend bool operator==(const Leaf&, const Leaf&) = default;
};

template <class Visit, Of<Leaf> Row>
void fields(Visit& visit, Row& leaf) {
  const auto is_small = [](uint32_t n) { return n < 100; };
  visit("number", leaf.number, must(is_small, "the number is not small"));
  visit("is_last", leaf.is_last);
  visit("rule", leaf.rule, or_refuse("the rule isn't there"));
}

struct Branch {
  SourceSpan span;
  std::optional<StateId> state;
  std::vector<RuleId> rules;
  std::shared_ptr<const Leaf> leaf;
  std::vector<Leaf> leaves;
  StateId unbounded;
};

template <class Visit, Of<Branch> Row>
void fields(Visit& visit, Row& branch) {
  visit("span", branch.span, or_refuse("the span is outside"));
  visit("state", branch.state, or_refuse("the state isn't there"));
  visit("rules", branch.rules, or_refuse("a rule isn't there"));
  visit("leaf", branch.leaf);
  visit("leaves", words(branch.leaves));
  visit("unbounded", branch.unbounded, checked_in("nothing"));
}

struct Scope {
  size_t n_source_bytes = 10;
  static size_t n_of(RuleId) { return 3; }
  static size_t n_of(StateId) { return 5; }
};

std::string refused(const Branch& branch) {
  std::string said;
  check_fields(branch, Scope{}, [&](const char* what) { said = what; });
  return said;
}

const std::vector<Leaf> kLeaves{{7, true, RuleId(1)}, {UINT32_MAX, false, RuleId(2)}};

TEST_CASE("words: rows come back from their words") {
  const std::vector<uint32_t> written = to_words(kLeaves);
  CHECK(written == std::vector<uint32_t>{7, 1, 1, UINT32_MAX, 0, 2});
  std::vector<Leaf> read;
  from_words(written, read, "cut off");
  CHECK(read == kLeaves);
  from_words({}, read, "cut off");
  CHECK(read.empty());
}

TEST_CASE("words: numbers and spans are rows of one and of two words") {
  std::vector<uint32_t> numbers;
  from_words(to_words(std::vector<uint32_t>{4, 5}), numbers, "cut off");
  CHECK(numbers == std::vector<uint32_t>{4, 5});
  const std::vector<SourceSpan> spans{{1, 2}, {3, 9}};
  CHECK(to_words(spans) == std::vector<uint32_t>{1, 2, 3, 9});
  std::vector<SourceSpan> read;
  from_words(to_words(spans), read, "cut off");
  CHECK(read == spans);
}

TEST_CASE("words: a row that lacks a field is refused") {
  std::vector<uint32_t> written = to_words(kLeaves);
  for (const size_t n_words : {5u, 4u, 2u, 1u}) {
    written.resize(n_words);
    std::vector<Leaf> read;
    CHECK(unit::refusal_of<BadWords>([&] { from_words(written, read, "cut off"); }) == "cut off");
  }
}

TEST_CASE("words: a word that is no such value is refused, with its row") {
  std::vector<Leaf> read;
  const std::vector<uint32_t> written{7, 1, 1, 7, 2, 1};
  try {
    from_words(written, read, "cut off");
    FAIL("it was read");
  } catch (const BadWords& bad) {
    CHECK(std::string(bad.what()) == "expected 0 or 1");
    CHECK(bad.row() == 1);
  }
}

TEST_CASE("words: lists of numbers come back; a list that is longer than the words is refused") {
  const std::vector<std::vector<uint32_t>> lists{{5, 6}, {}, {7}};
  const std::vector<uint32_t> written = to_words(lists);
  CHECK(written == std::vector<uint32_t>{2, 5, 6, 0, 1, 7});
  std::vector<std::vector<uint32_t>> read;
  from_words(written, read, "cut off");
  CHECK(read == lists);
  for (const std::vector<uint32_t>& cut :
       {std::vector<uint32_t>{2, 5}, {1}, {0, UINT32_MAX}, {UINT32_MAX, 1, 1}}) {
    CHECK(unit::refusal_of<BadWords>([&] { from_words(cut, read, "cut off"); }) == "cut off");
  }
}

TEST_CASE("columns: a span takes two places of a row, any other form one") {
  CHECK(n_columns(Branch{}) == 7);
  CHECK(n_columns(Leaf{}) == 3);
}

TEST_CASE("checks: an id out of range is refused wherever a row holds it") {
  const auto leaf_of = [](uint32_t rule) { return Leaf{1, false, RuleId(rule)}; };
  Branch branch;
  branch.state = StateId(4);
  branch.rules = {RuleId(0), RuleId(2)};
  branch.leaf = std::make_shared<const Leaf>(leaf_of(2));
  branch.leaves = {leaf_of(0), leaf_of(1)};
  CHECK(refused(branch) == "");
  const auto refused_with = [&](const auto& change) {
    Branch changed = branch;
    change(changed);
    return refused(changed);
  };
  CHECK(refused_with([](Branch& b) { b.state = StateId(5); }) == "the state isn't there");
  CHECK(refused_with([](Branch& b) { b.state.reset(); }) == "");
  CHECK(refused_with([](Branch& b) { b.rules[1] = RuleId(3); }) == "a rule isn't there");
  CHECK(refused_with([&](Branch& b) { b.leaf = std::make_shared<const Leaf>(leaf_of(3)); }) ==
        "the rule isn't there");
  CHECK(refused_with([&](Branch& b) { b.leaves[1] = leaf_of(3); }) == "the rule isn't there");
}

TEST_CASE("checks: spans must lie in the source, values satisfy what is declared of them") {
  Branch branch;
  branch.span = {3, 10};
  CHECK(refused(branch) == "");
  branch.span = {3, 11};
  CHECK(refused(branch) == "the span is outside");
  branch.span = {3, 2};
  CHECK(refused(branch) == "the span is outside");
  branch.span = {};
  branch.leaves = {{100, false, RuleId(0)}};
  CHECK(refused(branch) == "the number is not small");
}

TEST_CASE("checks: a field with a checking function of its own passes the generic checks") {
  Branch branch;
  branch.unbounded = StateId(1000);
  CHECK(refused(branch) == "");
}

}  // namespace unit_fields
}  // namespace xg2lab
