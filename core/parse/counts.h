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
//   children of lengths 2 and 5 nothing can be dropped: after n bytes the counts are every third
//   number from n/5 to n/2.
//
//   Items of any-order and member rules carry in the same word which members were matched
//   (automata/member_sets.h).
//
// REPRESENTATION
//   Counts is a number below 2^31 standing for itself, or 2^31 + the number of an interned list of
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
  uint32_t word = 0;  // 0 also where nothing is counted

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
  // The program stays where it is.
  explicit CountSets(const Program& program);
  ~CountSets();
  CountSets(const CountSets&) = delete;
  CountSets& operator=(const CountSets&) = delete;

  // ---- Of any state's items ----
  // Of two items of one place: what either may do.
  Counts unite(StateId state, Counts a, Counts b);
  // Of an item that stands for all contexts at once (kBeyond, or asked from outside).
  Counts of_any_context(StateId state);
  // The same, as `other` names it.
  Counts adopt(const CountSets& other, StateId state, Counts counts);

  // ---- Of members in any order: `state` is one of the any-order or its member rule ----
  const MemberSets& members(StateId state) const {
    return members_of(program_.any_order_number(state));
  }
  Counts with(StateId state, Counts counts, uint32_t member) {
    return changed(state, [&](MemberSets& sets) { return sets.with(counts.word, member); });
  }
  // Whether some member that can be reached from the state may still be matched; true of all other
  // states.
  bool is_open(StateId state, Counts counts) const {
    return program_.kind(state) != StateKind::kMember ||
           members(state).may_match_any(counts.word, program_.members_reached(state));
  }

  // ---- Of counted rules ----
  CountIntervals intervals(Counts counts) const {
    if (counts.is_one()) return {{counts.word, counts.word}};
    return sets_[counts.word & ~Counts::kIsSet];
  }
  uint32_t least(Counts counts) const {
    return counts.is_one() ? counts.word : sets_[counts.word & ~Counts::kIsSet].front().lo;
  }
  uint32_t most(Counts counts) const {
    return counts.is_one() ? counts.word : sets_[counts.word & ~Counts::kIsSet].back().hi;
  }
  // Some count is within the bounds: the repetition may end here.
  bool may_end(Counts counts, const Repetition& r) const { return most(counts) >= r.min; }
  // Some count is below max: another iteration may begin.
  bool may_go_on(Counts counts, const Repetition& r) const { return least(counts) < r.max; }

  // One iteration more, in all that may go on (there is one).
  Counts next(Counts counts, const Repetition& r);
  Counts unite(Counts a, Counts b, const Repetition& r);
  // Every count after one iteration or more.
  Counts any(const Repetition& r) { return make({{1, r.max}}, r); }
  // The same for all texts of fewer than `reach` iterations: far from both bounds counts are alike.
  Counts clamp(Counts counts, const Repetition& r, uint32_t reach);
  // `intervals` in simplest form. None is empty, at least one has a number of at most max.
  Counts make(CountIntervals intervals, const Repetition& r);

  // THREADS  the owner's mutex, as for new sets.
  size_t memory_size_bytes() const {
    return sets_.memory_size_bytes() + n_member_bytes_.load(std::memory_order_relaxed);
  }

  // Asserts I1 and I2 of all sets made so far. For tests; the owner's mutex.
  void check_invariants() const;

 private:
  // What `change` finds or makes among the sets of the state's rule.
  template <class Change>
  Counts changed(StateId state, Change change) {
    MemberSets& sets = members_of(program_.any_order_number(state));
    const size_t n_before = sets.memory_size_bytes();
    const Counts counts{change(sets)};
    n_member_bytes_.fetch_add(sets.memory_size_bytes() - n_before, std::memory_order_relaxed);
    return counts;
  }

  const Program& program_;
  // Made at the first question: most rules of a large grammar are never met. Of two threads the
  // first one's is kept.
  MemberSets& members_of(uint32_t number) const;
  mutable std::vector<std::atomic<MemberSets*>> member_sets_;  // by number of the any-order rule
  Interned<CountInterval> sets_;
  mutable std::atomic<size_t> n_member_bytes_{0};  // of member_sets_
};

// "17", "2 to 3", "4, 7 to 9, ...": for people.
std::string counts_text(const CountIntervals& intervals);

}  // namespace xg2lab
