// The common refinement of many alphabets.
//
// Tests: tests/core/test_growth_lark.py (through the Lark reader)
//
// IDEA
//   Partition refinement over the pieces between all interval boundaries: each alphabet splits the
//   classes of pieces by its letters. The letter that covers most pieces, usually "any other
//   character", is not touched: it keeps the pieces that the other letters leave. So thousands of
//   keywords cost as much as their characters, whereas pairwise products (Alphabet::common) would
//   cost the square of their number.
//
// EXAMPLE   {a, rest}, {b, rest}: three letters. The first alphabet's a is {0} and its rest {1, 2};
//           the second's b is {1} and its rest {0, 2}.
//
// SEE ALSO  Paige and Tarjan 1987 (partition refinement)
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "automata/alphabet.h"

namespace xg2lab {

struct JointAlphabet {
  Alphabet alphabet;  // letters in the order of their first characters
  // parts[alphabet][letter]: the joint letters that the alphabet's letter splits into, ascending.
  // The list of the letter `rest` is left empty: it has all joint letters that are in no other
  // list.
  std::vector<std::vector<std::vector<Letter>>> parts;
  std::vector<Letter> rest;  // index: alphabet

  // Nothing if more than `most_steps` pieces have to be examined.
  static std::optional<JointAlphabet> of(std::span<const Alphabet* const> alphabets,
                                         size_t most_steps);
};

}  // namespace xg2lab
