// What tells apart whatever one of many alphabets does.
//
// Tests: tests/core/test_growth_lark.py (through the Lark reader)
//
// IDEA
//   Partition refinement over the pieces between all cuts: each alphabet splits the classes of
//   pieces by its letters. The letter that covers most pieces, "any other character" as a rule,
//   need not be touched: it keeps what the others leave. So thousands of keywords cost their
//   characters, where pairwise products (Alphabet::common) cost the square of their number.
//
// EXAMPLE   {a, rest}, {b, rest}: three letters; a is {0}, b is {1} of them, and the rests are {1,
//           2} and {0, 2}.
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
  // Index: alphabet, its letter: the letters of `alphabet` that it becomes, ascending. Of `rest`
  // the list is left out: those in no other list.
  std::vector<std::vector<std::vector<Letter>>> parts;
  std::vector<Letter> rest;  // index: alphabet

  // Nothing: it takes more than so many looks at pieces.
  static std::optional<JointAlphabet> of(std::span<const Alphabet* const> alphabets,
                                         size_t most_steps);
};

}  // namespace xg2lab
