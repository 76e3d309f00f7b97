// Minimization of a deterministic machine by partition refinement.
//
// Twin:  xg2lab/reference/fsm.py
//
// IDEA
//   Put states into blocks and split them: two states stay together as long as they agree on accepting
//   and their edges lead into the same blocks. The first blocks are made by a hash of what can be read within a few steps. Only
//   predecessors of states that changed block are looked at again, and the largest part of a split block keeps its name, so
//   each state is renamed O(log n) times.
//
//   Edges are compared after joining neighbouring ranges that lead into one block: cuts made by the subset
//   construction do not keep states apart.
//
// COST      O(edges log states) signatures.   SEE ALSO  Hopcroft 1971.
#pragma once

#include "automata/fsm.h"

namespace xg2lab {

// `fsm` is deterministic, without epsilon edges, start 0. Edges of joined states join their origins.
Fsm minimize(const Fsm& fsm, OriginSets& origins);

}  // namespace xg2lab
