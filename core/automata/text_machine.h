// The smallest machine of finitely many texts, made from the sorted texts directly.
//
// Twin:  xg2lab/reference/texts.py
// Tests: tests/core/test_text_machine.py
//
// IDEA
//   Read in order, texts are a walk through their trie. Once the walk leaves a state for good all that can be read from it is
//   known, so it is looked up by its edges: if there was one like it, it is that one. So the trie is never there as a whole: of
//   3,700 names of regions it would have 37,000 states, of which 1,260 are left.
//
//   Each edge says which texts are read along it.
//
// EXAMPLE   "bat", "cat", "cot":  `b` and `c` leave the start; "at" behind `b` is one state, "at" and "ot" behind `c` another; the `t`
//           is one edge, of all three.
//
// COST      O(bytes of all texts), expected, and a sort of the texts.   SEE ALSO  Daciuk et al. 2000.
#pragma once

#include <string_view>
#include <vector>

#include "automata/fsm.h"

namespace xg2lab {

struct Text {
  std::string_view bytes;
  OriginSetId origins;
};

// In any order; some text is not empty. States are in no particular order but for the start (0).
FrozenFsm machine_of_texts(std::vector<Text> texts, OriginSets& origins);

}  // namespace xg2lab
