// A tag dispatch as a machine: free text, watched by an Aho–Corasick automaton, with a call after
// each tag.
//
// Twin:  xg2lab/reference/dispatch.py
// Tests: tests/core/test_dispatch.py, tests/differential/test_dispatch.py
//
// IDEA
//   While free text is read (dispatching), a state is a pair: a state of the automaton and the
//   state of UTF-8 (utf8_states.h). A byte that completes a tag leads to a state with one
//   edge, the call of the tag's rule (dispatched); after the call, free text begins anew or the
//   dispatch ends. A byte that completes a stop string leads to the end; no edge reads a byte that
//   completes an exclude.
//
//   tag "<a>" opens r:   free --"<"--> 1 --"a"--> 2 --">"--> fired --r--> free
//                        any other byte leads back to `free`, but "<" always to 1
//
// REPRESENTATION
//   The machine knows neither rules nor the source: a rule edge carries the number of its tag in
//   place of a RuleId. An edge's origin is of_tag(i) if the edge lies on the path to tag i alone,
//   and kOfText otherwise. The caller translates both.
//
// INVARIANTS
//   I1  FrozenFsm I1 to I4, except that a dispatch which can't complete anything is a start without
//       edges (I2 fails)
//   I2  the machine is deterministic and needs no minimization
//   I3  within a code point, the automaton's state determines the state of UTF-8 unless it is the
//       root, since watched texts are valid UTF-8
//
// COST      O(states x bytes in a row of the automaton).
// SEE ALSO  XGrammar 2 section 3.1; docs/design/0005-tag-dispatch.md.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "automata/fsm.h"
#include "dispatch/dispatch_facts.h"

namespace xg2lab {

// The texts must be nonempty, distinct and valid UTF-8, and must outlive the call.
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
