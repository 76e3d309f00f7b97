// The minimal machine of finitely many texts, built directly from the sorted texts.
//
// Twin:  xg2lab/reference/texts.py
// Tests: tests/core/test_text_machine.py
//
// IDEA
//   Sorted texts traverse their trie depth-first. When the traversal leaves a state for good, the
//   state's edges are complete; the state is looked up by its edges and merged with an equal one.
//   So the whole trie never exists: for 3,700 names of regions it would have 37,000 states, of
//   which 1,260 remain.
//
//   Each edge records the texts that are read along it.
//
// EXAMPLE   "bat", "cat", "cot": `b` and `c` leave the start; `b` leads to the state before "at",
//           `c` to the state before "at" or "ot"; all three texts share the edge on the last `t`.
//
// COST      O(bytes of all texts), expected, and a sort of the texts.   SEE ALSO  Daciuk et al.
//           2000.
#pragma once

#include <string_view>
#include <vector>

#include "automata/fsm.h"

namespace xg2lab {

struct Text {
  std::string_view bytes;
  OriginSetId origins;
};

// `texts` may be in any order; at least one must be nonempty. States are in no particular order,
// but the start is state 0.
FrozenFsm machine_of_texts(std::vector<Text> texts, OriginSets& origins);

}  // namespace xg2lab
