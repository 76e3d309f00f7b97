// Minimization of a deterministic machine.
//
// Twin:  xg2lab/reference/minimize.py
//
// IDEA
//   Strongly connected components are processed from the end, so all targets outside a component
//   already have classes. A state on no loop is classified by one look-up: it joins the class with
//   the same signature (whether it accepts, and the classes of its targets). Most states of
//   grammars are of this kind: keys, literals, values of an enum.
//
//   The states of a loop are partitioned into blocks (automata/loop_blocks.h). Then either all
//   blocks are equivalent to existing classes, or all are new classes (automata/known_loops.h).
//
//   Edges are compared after joining neighbouring ranges that lead to the same class, so the cuts
//   of the subset construction don't separate states.
//
// EXAMPLE   "ab" [0-9]* | "cb" [0-9]*: the first loop is a new class, and the second loop joins it.
//           Then both edges on "b" lead to one class, so their sources are equivalent too.
//
// COST      O(edges) for states on no loop; for a loop O(its edges log its states) signatures.
// SEE ALSO  Revuz 1992; Almeida and Zeitoun 2008; Hopcroft 1971.
#pragma once

#include <optional>

#include "automata/determinize.h"
#include "automata/fsm.h"

namespace xg2lab {

// `rows`: a result of determinize(). Merging states unites the origins of their edges.
FrozenFsm minimize(const FrozenFsm& rows, OriginSets& origins);

// The minimal machine of the language of `fsm`. Nothing if determinize() returns nothing.
std::optional<FrozenFsm> minimal(const Fsm& fsm, OriginSets& origins, const SubsetLimits& limits);

// How far reduced() goes.
enum class Reduction : uint8_t { kNoEpsilon, kDeterministic, kMinimal };

// The same language without epsilon edges, for a machine without joined states. The result stays
// nondeterministic if the subset construction would exceed `limits`. Nothing if it has too many
// edges even then.
std::optional<FrozenFsm> reduced(const Fsm& fsm, OriginSets& origins, Reduction how,
                                 const SubsetLimits& limits);

}  // namespace xg2lab
