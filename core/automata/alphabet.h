// Code points in classes that nobody tells apart: the letters of a machine over code points.
//
// Tests: tests/core/test_regular.py
//
// IDEA
//   A pattern mentions a few sets. Two code points that are in the same of them lead to the same states everywhere, so one
//   *letter* stands for both, and a machine's table needs a column a letter and not a million.
//
// EXAMPLE   [a-z], [aeiou]: three letters (vowels, the other small letters, the rest).
//
// INVARIANTS
//   I1  intervals are sorted, and together they are all scalar values, each once
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

  // One letter.
  Alphabet() : Alphabet(std::span<const CodePointSet>()) {}
  // Of intervals as I1 has them; neighbours of one letter are joined.
  static Alphabet of_intervals(std::vector<Interval> intervals, size_t n_letters);
  // As few letters as tell these sets (normal ones) apart. O(ranges log ranges), times a set's word for each cut.
  explicit Alphabet(std::span<const CodePointSet> sets);

  size_t n_letters() const { return n_letters_; }
  std::span<const Interval> intervals() const { return intervals_; }
  Letter letter_of(uint32_t scalar_value) const;
  // index: Letter. The set is one of those that the alphabet tells apart.
  std::vector<bool> letters_in(std::span<const CodePointRange> set) const;

  // What tells apart whatever one of two alphabets does, with the old letters of each new one.
  struct Common;
  static Common common(const Alphabet& a, const Alphabet& b);
  // The same intervals; letter l becomes merged[l], of n_letters in all.
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
