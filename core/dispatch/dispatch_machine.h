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
//   tag "<a>" opens r:   free --"<"--> 1 --"a"--> 2 --">"--> fired --r--> free
//                        any other byte leads back to `free`, but "<" always to 1
//
// REPRESENTATION
//   A rule edge carries the number of its tag in place of a RuleId, and an edge's origin is kOfText, or
//   of_tag(i) where it lies on the way to one tag alone: who asks knows the rules and the source.
//
// INVARIANTS
//   I1  FrozenFsm I1 to I4, but for I2 where nothing at all can be completed: then the start has no edge
//   I2  the machine is deterministic as it is built: nothing need determinize or minimize it
//   I3  within a code point the automaton's state says the place, or is the root: texts are UTF-8
//
// COST      O(states x bytes in a row of the automaton).
// SEE ALSO  XGrammar 2 section 3.1; docs/design/0005-tag-dispatch.md.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "automata/fsm.h"
#include "dispatch/place.h"

namespace xg2lab {

// Not empty, distinct, valid UTF-8; they must outlive the call.
struct WatchedTexts {
  std::vector<std::string_view> tags;
  std::vector<std::string_view> stop_texts;
  std::vector<std::string_view> excludes;
  bool stop_eos = true;
  bool loop_after_dispatch = true;
};

struct DispatchMachine {
  static constexpr OriginSetId kOfText{0u};
  static OriginSetId of_tag(size_t tag) { return OriginSetId(tag + 1); }
  static size_t tag_of(OriginSetId origin) { return origin.index() - 1; }

  FrozenFsm fsm;
  DispatchFacts facts;
};

DispatchMachine dispatch_machine(const WatchedTexts& texts);

}  // namespace xg2lab
