// parse/counts.h: sets of counts, held against what they mean for the text to come.
#include "parse/counts.h"

#include <algorithm>
#include <map>
#include <set>

#include "unit/fixture.h"

namespace xg2lab {
namespace {

constexpr uint32_t kEnough = 12;  // iterations to come that are looked at where there is no max

const Program& any_program() {
  static const auto program = unit::program_of(R"(root ::= "a")");
  return *program;
}

// The meaning of a set: for which numbers of further iterations the repetition may end.
std::set<uint32_t> ends_after(const std::set<uint32_t>& counts, const Repetition& r) {
  std::set<uint32_t> ends;
  for (const uint32_t count : counts) {
    for (uint32_t more = 0; more <= kEnough; ++more) {
      const uint32_t all = count + more;
      if (all >= r.min && (!r.has_max() || all <= r.max)) ends.insert(more);
    }
  }
  return ends;
}

std::set<uint32_t> numbers_of(const CountIntervals& intervals) {
  std::set<uint32_t> numbers;
  for (const auto& [lo, hi] : intervals) {
    for (uint32_t n = lo; n <= hi; ++n) numbers.insert(n);
  }
  return numbers;
}

CountIntervals intervals_of(const std::set<uint32_t>& numbers) {
  CountIntervals intervals;
  for (const uint32_t n : numbers) intervals.push_back({n, n});
  return intervals;
}

std::vector<std::set<uint32_t>> all_sets_up_to(uint32_t most) {
  std::vector<std::set<uint32_t>> sets;
  for (uint32_t bits = 1; bits < 1u << (most + 1); ++bits) {
    std::set<uint32_t>& set = sets.emplace_back();
    for (uint32_t n = 0; n <= most; ++n) {
      if ((bits >> n & 1u) != 0) set.insert(n);
    }
  }
  return sets;
}

// Every repetition with min <= max <= 6, and those without a max.
std::vector<Repetition> all_repetitions() {
  std::vector<Repetition> all;
  for (uint32_t min = 0; min <= 6; ++min) {
    for (uint32_t max = std::max(min, 1u); max <= 6; ++max) all.push_back({RuleId(0), min, max});
    all.push_back({RuleId(0), min, Repetition::kNoMax});
  }
  return all;
}

uint32_t most_count(const Repetition& r) { return r.has_max() ? r.max : 6; }

TEST_CASE("CountSets: the simplest form of a set means what the set does") {
  for (const Repetition& r : all_repetitions()) {
    CountSets sets(any_program());
    for (const auto& set : all_sets_up_to(most_count(r))) {
      const Counts made = sets.make(intervals_of(set), r);
      CHECK(ends_after(numbers_of(sets.intervals(made)), r) == ends_after(set, r));
    }
    sets.check_invariants();
  }
}

TEST_CASE("CountSets I2: sets with one meaning are one word, others are others") {
  for (const Repetition& r : all_repetitions()) {
    CountSets sets(any_program());
    std::map<std::set<uint32_t>, Counts> word_of;
    std::set<uint32_t> words;
    for (const auto& set : all_sets_up_to(most_count(r))) {
      const Counts made = sets.make(intervals_of(set), r);
      CHECK(word_of.emplace(ends_after(set, r), made).first->second == made);
      words.insert(made.word);
    }
    CHECK(words.size() == word_of.size());
  }
}

TEST_CASE("CountSets: unite, next, may_end and may_go_on as the sets of numbers have them") {
  for (const Repetition& r : all_repetitions()) {
    CountSets sets(any_program());
    const auto all = all_sets_up_to(std::min(most_count(r), 4u));
    for (const auto& a : all) {
      const Counts of_a = sets.make(intervals_of(a), r);
      const auto ends = ends_after(a, r);
      CHECK(sets.may_end(of_a, r) == ends.contains(0));
      CHECK(sets.may_go_on(of_a, r) == (!r.has_max() || *a.begin() < r.max));
      if (sets.may_go_on(of_a, r)) {
        std::set<uint32_t> after;
        for (const uint32_t n : a) after.insert(n + 1);
        const auto next = numbers_of(sets.intervals(sets.next(of_a, r)));
        CHECK(ends_after(next, r) == ends_after(after, r));
      }
      for (const auto& b : all) {
        std::set<uint32_t> both(a);
        both.insert(b.begin(), b.end());
        const Counts united = sets.unite(of_a, sets.make(intervals_of(b), r), r);
        CHECK(united == sets.make(intervals_of(both), r));
      }
    }
    sets.check_invariants();
  }
}

TEST_CASE("CountSets: any() is every count after one iteration or more") {
  for (const Repetition& r : all_repetitions()) {
    CountSets sets(any_program());
    std::set<uint32_t> all;
    for (uint32_t n = 1; n <= most_count(r); ++n) all.insert(n);
    CHECK(sets.any(r) == sets.make(intervals_of(all), r));
  }
}

TEST_CASE("CountSets: a clamped set takes the same numbers of iterations below `reach`") {
  const Repetition repetitions[] = {{RuleId(0), 10, 30},
                                    {RuleId(0), 10, Repetition::kNoMax},
                                    {RuleId(0), 0, 25},
                                    {RuleId(0), 20, 20}};
  constexpr uint32_t kReach = 3;
  for (const Repetition& r : repetitions) {
    CountSets sets(any_program());
    std::set<uint32_t> words;
    for (uint32_t count = 0; count <= std::min(r.max, 40u); ++count) {
      const Counts counts = sets.make({{count, count}}, r);
      const Counts clamped = sets.clamp(counts, r, kReach);
      CHECK(sets.clamp(clamped, r, kReach) == clamped);
      words.insert(clamped.word);
      const auto before = ends_after({count}, r);
      const auto after = ends_after(numbers_of(sets.intervals(clamped)), r);
      for (uint32_t more = 0; more < kReach; ++more)
        CHECK(before.contains(more) == after.contains(more));
    }
    CHECK(words.size() <= 2 * (kReach + 2));  // however large the bounds
  }
}

TEST_CASE("CountSets: under an exact bound nothing joins, and lists are interned") {
  CountSets sets(any_program());
  const Repetition r{RuleId(0), 100, 100};
  const Counts made = sets.make({{2, 2}, {5, 5}, {8, 8}}, r);
  CHECK_FALSE(made.is_one());
  CHECK(sets.intervals(made).size() == 3);
  CHECK(sets.least(made) == 2);
  CHECK(sets.most(made) == 8);
  CHECK(sets.make({{8, 8}, {2, 2}, {5, 5}, {5, 5}}, r) == made);
  sets.check_invariants();
}

TEST_CASE("CountSets: of two plain items the one that has touched fewer tokens is kept") {
  CountSets sets(any_program());
  const StateId state = any_program().rule(any_program().root()).start();
  CHECK(sets.unite(state, Counts{3}, Counts{2}) == Counts{2});
}

TEST_CASE("counts_text: three intervals are shown, and that there are more") {
  CHECK(counts_text({{17, 17}}) == "17");
  CHECK(counts_text({{2, 3}}) == "2 to 3");
  CHECK(counts_text({{4, 4}, {7, 9}, {11, 11}, {20, 20}}) == "4, 7 to 9, 11, …");
}

}  // namespace
}  // namespace xg2lab
