// Counts: how many iterations a counted repetition may have done, in one word.
//
// Twin:  xg2lab/reference/counted.py
// Tests: tests/core/test_repetition.py, tests/differential/test_repetition.py,
//        tests/unit/parse_counts.cc
//
// IDEA
//   After "aaa", ("a" | "aa"){2,9} has done 2 or 3 iterations. An item therefore carries a set of
//   counts. Only one thing about a set matters: for which k >= 0 may the repetition end after k
//   more iterations? A count c of {min,max} answers with the window [min - c, max - c], a set with
//   the union of its windows, and sets with the same union are interchangeable whatever text
//   follows. So each set is kept in its simplest form:
//
//     gaps         c and c' with c' - c <= max - min + 1 have windows that touch: the counts
//                  between them are filled in
//     from min on  the smallest count's window holds all others: the smallest count replaces them
//     no max       the largest count's window holds all others, and every count from min on is min
//
//   Under {0,100000} each set is one number, however ambiguous the child. Under {100000} and
//   children of lengths 2 and 5 no count can be dropped: after n bytes the set contains every third
//   number from n/5 to n/2.
//
//   Items of any-order and member rules use the same word for the sets of members that were matched
//   (automata/member_sets.h).
//
// REPRESENTATION
//   A word below 2^31 is the set of that one number. A word of 2^31 + i is the interned list i of
//   intervals.
//
// INVARIANTS
//   I1  an interned set has two numbers or more; its intervals are sorted, in simplest form
//   I2  equal sets of one CountSets are equal words
//
// COST      one number: a few instructions. Else O(intervals), at most (max - lowest) / (max - min
//           + 2) + 1 of them.
// THREADS   new sets: the owner's mutex. Reading a set whose word was published: any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "program/program.h"
#include "support/interned.h"

namespace xg2lab {

struct Counts {
  uint32_t word = 0;  // 0 also for items whose state counts nothing

  static constexpr uint32_t kIsSet = 0x80000000u;
  bool is_one() const { return (word & kIsSet) == 0; }
  friend bool operator==(Counts, Counts) = default;
  friend auto operator<=>(Counts, Counts) = default;
};

struct CountInterval {
  uint32_t lo;
  uint32_t hi;  // inclusive
  friend auto operator<=>(const CountInterval&, const CountInterval&) = default;
};
using CountIntervals = std::vector<CountInterval>;

class CountSets {
 public:
  // `program` must outlive this object and must not move.
  explicit CountSets(const Program& program);
  ~CountSets();
  CountSets(const CountSets&) = delete;
  CountSets& operator=(const CountSets&) = delete;

  // ---- Items of any state ----
  // The counts of the item that replaces two items of one place with counts `a` and `b`.
  Counts unite(StateId state, Counts a, Counts b);
  // The counts of an item that represents all contexts at once: a waiting item of kBeyond, or the
  // item of ColumnTable::outside_item().
  Counts of_any_context(StateId state);
  // The set that `counts` denotes in `other`, as a word of this object.
  Counts adopt(const CountSets& other, StateId state, Counts counts);

  // ---- Members in any order: `state` belongs to an any-order rule or to its member rule ----
  const MemberSets& members(StateId state) const {
    return members_of(program_.any_order_number(state));
  }
  Counts with(StateId state, Counts counts, uint32_t member) {
    return changed(state, [&](MemberSets& sets) { return sets.with(counts.word, member); });
  }
  // State of a member rule: whether some member reachable from the state may still be matched. All
  // other states: true.
  bool is_open(StateId state, Counts counts) const {
    return program_.kind(state) != StateKind::kMember ||
           members(state).may_match_any(counts.word, program_.members_reached(state));
  }

  // ---- Counted rules ----
  CountIntervals intervals(Counts counts) const {
    if (counts.is_one()) return {{counts.word, counts.word}};
    const std::span<const CountInterval> set = sets_[counts.word & ~Counts::kIsSet];
    return {set.begin(), set.end()};
  }
  uint32_t least(Counts counts) const {
    return counts.is_one() ? counts.word : sets_[counts.word & ~Counts::kIsSet].front().lo;
  }
  uint32_t most(Counts counts) const {
    return counts.is_one() ? counts.word : sets_[counts.word & ~Counts::kIsSet].back().hi;
  }
  // Whether the repetition may end: some count is within the bounds.
  bool may_end(Counts counts, const Repetition& r) const { return most(counts) >= r.min; }
  // Whether another iteration may begin: some count is below max.
  bool may_go_on(Counts counts, const Repetition& r) const { return least(counts) < r.max; }

  // The counts after one more iteration. Counts at max are dropped; some count must be below max.
  Counts next(Counts counts, const Repetition& r);
  Counts unite(Counts a, Counts b, const Repetition& r);
  // All counts from 1 to max.
  Counts any(const Repetition& r) { return make({{1, r.max}}, r); }
  // Replaces counts far from the bounds by representatives. The result is equivalent for all texts
  // of fewer than `reach` further iterations.
  Counts clamp(Counts counts, const Repetition& r, uint32_t reach);
  // The simplest form of `intervals`. No interval may be empty; some number must be at most max.
  Counts make(CountIntervals intervals, const Repetition& r);

  // THREADS  the owner's mutex, as for new sets.
  size_t memory_size_bytes() const {
    return sets_.memory_size_bytes() + n_member_bytes_.load(std::memory_order_relaxed);
  }

  // Asserts I1 and I2 of all sets made so far. For tests; the owner's mutex.
  void check_invariants() const;

 private:
  // The set that `change` looks up or interns in the MemberSets of the state's any-order rule.
  template <class Change>
  Counts changed(StateId state, Change change) {
    MemberSets& sets = members_of(program_.any_order_number(state));
    const size_t n_before = sets.memory_size_bytes();
    const Counts counts{change(sets)};
    n_member_bytes_.fetch_add(sets.memory_size_bytes() - n_before, std::memory_order_relaxed);
    return counts;
  }

  const Program& program_;
  // Creates the rule's MemberSets at the first call: texts reach few rules of a large grammar. If
  // two threads create them at once, the ones published first are kept.
  MemberSets& members_of(uint32_t number) const;
  mutable std::vector<std::atomic<MemberSets*>> member_sets_;  // by number of the any-order rule
  Interned<CountInterval> sets_;
  mutable std::atomic<size_t> n_member_bytes_{0};  // of member_sets_
};

// The counts as text for messages: "17", "2 to 3", "4, 7 to 9, …".
std::string counts_text(const CountIntervals& intervals);

}  // namespace xg2lab
