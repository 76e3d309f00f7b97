// Subset construction over bytes and rules, within a state budget; and its plain cousin, epsilon removal.
//
// Twin:  xg2lab/reference/fsm.py
//
// IDEA
//   A state of the result is a set of states of the source, closed under epsilon edges. Byte ranges that
//   overlap are cut at their boundaries; rule edges are letters like any other, so a rule that two
//   alternatives begin with is predicted once.
//   Under ("ab" | "ac") the result has one edge on `a`. Under (x "b" | y "c") both rules stay apart:
//   only the parser can tell them.
//
// COST      determinize: O(result states x edges); gives up (nullopt) beyond `max_states`.
// SEE ALSO  Rabin and Scott 1959.
#pragma once

#include <optional>

#include "automata/fsm.h"

namespace xg2lab {

// State 0 of `fsm` is the start. What comes out is in rows and in order (I3 and I4 of FrozenFsm), but has states without a future
// and cuts that nobody needs: quotient.h and minimize.h make the rest of it.
// Nothing, too, if a joined state (Fsm::set_joined) would stand in a set with others.
std::optional<FrozenFsm> determinize(const Fsm& fsm, OriginSets& origins, size_t max_states);

// The same language without epsilon edges, one state for each state: what is used beyond the budget.
Fsm remove_epsilon(const Fsm& fsm);

}  // namespace xg2lab
