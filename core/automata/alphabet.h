// Classes of equivalent code points (minterms): the letters of a machine over code points.
//
// Tests: tests/core/test_regular.py
//
// IDEA
//   A pattern mentions a few sets of code points. Two code points that belong to the same of these
//   sets lead to the same states everywhere, so one *letter* stands for both, and a machine's
//   transition table needs a column for each letter instead of a million.
//
// EXAMPLE   [a-z], [aeiou]: three letters (vowels, the other small letters, the rest).
//
// INVARIANTS
//   I1  intervals are sorted, disjoint, and cover all scalar values
//   I2  every letter has an interval
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "support/code_points.h"

namespace xg2lab {

using Letter = uint32_t;

class Alphabet {
 public:
  struct Interval {
    uint32_t lo;
    uint32_t hi;
    Letter letter;
  };

  // The alphabet of a single letter.
  Alphabet() : Alphabet(std::span<const CodePointSet>()) {}
  // Needs intervals that satisfy I1; joins neighbours of the same letter.
  static Alphabet of_intervals(std::vector<Interval> intervals, size_t n_letters);
  // The coarsest alphabet that separates these normalized sets. O(ranges log ranges), plus one bit
  // a set for each cut.
  explicit Alphabet(std::span<const CodePointSet> sets);

  size_t n_letters() const { return n_letters_; }
  std::span<const Interval> intervals() const { return intervals_; }
  Letter letter_of(uint32_t scalar_value) const;
  // index: Letter. `set` must be a union of letters.
  std::vector<bool> letters_in(std::span<const CodePointRange> set) const;

  // The common refinement of two alphabets, and for each new letter the letters of `a` and `b` that
  // contain it.
  struct Common;
  static Common common(const Alphabet& a, const Alphabet& b);
  // The same intervals with letter l renamed to merged[l]; `n_letters` in all.
  Alphabet with_merged(std::span<const Letter> merged, size_t n_letters) const;

 private:
  void join_neighbours();
  std::vector<Interval> intervals_;
  size_t n_letters_ = 0;
};

struct Alphabet::Common {
  Alphabet alphabet;
  std::vector<Letter> of_a;  // index: the new letter
  std::vector<Letter> of_b;
};

}  // namespace xg2lab
