// Every run of neighbouring chunks of a row of chunks, as one machine: the suffix automaton.
//
// Tests: tests/core/test_substring.py.   Twin: all runs, written down (xg2lab/reference/regex.py)
//
// IDEA
//   After some chunks have been read, all that matters is where in the row they occur: two runs with the same places
//   where they end go on alike. So states are such sets of places. There are at most 2n of them for n chunks, and reading the row
//   from left to right makes one or two a chunk. Every state is accepting: a run may end anywhere.
//
// EXAMPLE   "a", "b", "a" accepts "", "a", "b", "ab", "ba", "aba".   Not "aa": these chunks are no neighbours.
//
// INVARIANTS
//   I1  all steps into a state are by one chunk; so its bytes stand once, before the state
//
// COST      O(chunks + bytes), then a subset construction where chunks begin alike.
// SEE ALSO  Blumer et al. 1985, "The smallest automaton recognizing the subwords of a text".
#pragma once

#include <span>
#include <string_view>

#include "automata/fsm.h"

namespace xg2lab {

// Empty chunks add nothing.
FrozenFsm substring_machine(std::span<const std::string_view> chunks);

}  // namespace xg2lab
