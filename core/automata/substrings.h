// The suffix automaton: all contiguous sequences of chunks out of a list of chunks, as one machine.
//
// Tests: tests/core/test_substring.py.   Twin: all sequences, listed (xg2lab/reference/regex.py)
//
// IDEA
//   After some chunks have been read, only the positions where the sequence read so far ends in the
//   list matter: two sequences with the same end positions have the same continuations. So a state
//   is a set of end positions. n chunks have at most 2n such sets, and reading the list from left
//   to right adds one or two for each chunk. Every state is accepting, since a sequence may end
//   anywhere.
//
// EXAMPLE   "a", "b", "a" accepts "", "a", "b", "ab", "ba", "aba".   Not "aa": no two neighbours
//           spell it.
//
// INVARIANTS
//   I1  all edges into a state read the same chunk; so the chunk's bytes are built once, before the
//       state
//
// COST      O(chunks + bytes), then a subset construction if chunks share prefixes.
// SEE ALSO  Blumer et al. 1985, "The smallest automaton recognizing the subwords of a text".
#pragma once

#include <span>
#include <string_view>

#include "automata/fsm.h"

namespace xg2lab {

// Empty chunks add nothing.
FrozenFsm substring_machine(std::span<const std::string_view> chunks);

}  // namespace xg2lab
