// Minimization of a deterministic machine.
//
// Twin:  xg2lab/reference/minimize.py
//
// IDEA
//   Strong components are done from the end, so whatever a component leads to has its class. A
//   state that no loop goes through is a look-up: it is one with the class that has the same
//   signature, which says whether it accepts and which classes its edges lead to. Most states of
//   grammars are such: keys, literals, values of an enum.
//
//   The states of a loop are put into blocks, by splitting (automata/loop_blocks.h). Then the
//   blocks are classes that are known already, all of them, or new ones, all of them
//   (automata/known_loops.h).
//
//   Edges are compared after joining neighbouring ranges that lead into one class: cuts made by the
//   subset construction do not keep states apart.
//
// EXAMPLE   "ab" [0-9]* | "cb" [0-9]*: the first loop is a new class, the second one is that class.
//           Then "b" and "b" lead to it, and are one.
//
// COST      O(edges) for what no loop goes through, wherever it stands; of a loop O(its edges log
//           its states) signatures.   SEE ALSO  Revuz 1992; Almeida and Zeitoun 2008; Hopcroft
//           1971.
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
