// Minimization of a deterministic machine.
//
// Twin:  xg2lab/reference/minimize.py
//
// IDEA
//   States that no loop leads to are done from the end: two are one if they agree on accepting and their edges lead to the same
//   states, as far as those are known to be one. That is a look-up a state, and most states of grammars are such: keys, literals,
//   values of an enum.
//
//   The others are put into blocks, which are split: two states stay together as long as they agree on accepting
//   and their edges lead into the same blocks. The first blocks are made by a hash of what can be read within a few steps. Only
//   predecessors of states that changed block are looked at again, and the largest part of a split block keeps its name, so
//   each state is renamed O(log n) times.
//
//   Edges are compared after joining neighbouring ranges that lead into one block: cuts made by the subset
//   construction do not keep states apart.
//
// EXAMPLE   "ab" [0-9]* | "cb" [0-9]*: the loop first, by itself; then "b" and "b" lead to it, and are one.
//
// COST      O(edges) before loops, O(edges log states) signatures within and after them.   SEE ALSO  Revuz 1992; Hopcroft 1971.
#pragma once

#include <optional>

#include "automata/determinize.h"
#include "automata/fsm.h"

namespace xg2lab {

// `rows`: as determinize() leaves them. Edges of joined states join their origins.
FrozenFsm minimize(const FrozenFsm& rows, OriginSets& origins);

// The smallest machine of that language. Nothing where determinize() has none.
std::optional<FrozenFsm> minimal(const Fsm& fsm, OriginSets& origins, const SubsetLimits& limits);

// How far reduced() goes.
enum class Reduction : uint8_t { kNoEpsilon, kDeterministic, kMinimal };

// The same language without epsilon edges, of a machine without joined states; nondeterministic
// also where the subset construction would go beyond `limits`. Nothing, if that has too many
// edges.
std::optional<FrozenFsm> reduced(const Fsm& fsm, OriginSets& origins, Reduction how,
                                 const SubsetLimits& limits);

}  // namespace xg2lab
