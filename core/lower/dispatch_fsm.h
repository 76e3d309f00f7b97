// A dispatch as a machine: free text, watched by an Aho–Corasick automaton, with a call after each tag.
//
// Twin:  xg2lab/reference/dispatch.py
// Tests: tests/core/test_dispatch.py, tests/differential/test_dispatch.py
//
// IDEA
//   While free text is read (dispatching), a state is a state of the automaton and, between two
//   code points of the text, a place within UTF-8. A byte that completes a tag leads to a state with
//   one edge, the call of the tag's rule (dispatched); behind it free text begins anew, or the
//   dispatch ends. A byte that completes a stop string leads to the end; one that completes an exclude
//   leads nowhere.
//
//   TagDispatch(("<a>", r)):   free --"<"--> 1 --"a"--> 2 --">"--> fired --r--> free
//                              any other byte leads back to `free`, from 1 also "<" to 1
//
// INVARIANTS
//   I1  the machine is deterministic: it is frozen as it is built, neither determinized nor minimized
//   I2  within a code point the automaton's state says the place, or is the root: patterns are UTF-8
//
// COST      O(states x bytes in a row of the automaton).
// SEE ALSO  XGrammar 2 section 3.1; docs/design/0004-tag-dispatch.md.
#pragma once

#include <vector>

#include "automata/fsm.h"
#include "grammar/grammar.h"
#include "program/program.h"

namespace xg2lab {

struct DispatchFsm {
  FrozenFsm fsm;
  DispatchFacts facts;
};

DispatchFsm dispatch_fsm(const Grammar& grammar, ExprId id, OriginSets& origins);

}  // namespace xg2lab
