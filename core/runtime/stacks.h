// The stacks of the pushdown automaton as one tree, for display: the persistent execution stack.
//
// Tests: tests/core/test_stacks.py
//
// IDEA
//   Every live stack is a state on top of a chain of frames; stacks share common frames
//   (column_table.h). The tree holds the tops of one column and all frames below them.
//
// EXAMPLE   root ::= "(" root ")" | "x"  after "((":  one top before `root`'s start, on two frames
//           that return before ")".
//
// COST      linear in the collected frames; only for display.
// SEE ALSO  XGrammar section 3.3 (persistent execution stack).
#pragma once

#include <optional>
#include <vector>

#include "runtime/matcher.h"

namespace xg2lab {

struct StackFrame {
  ContextId id;  // equal frames have equal ids at all times, until the table is replaced
  std::optional<ContextId> below;  // none for the bottom frame
  RuleId called;
  StateId returns_to;
  CountIntervals counts;  // iterations done on return; empty if nothing is counted
};

struct StackTop {
  StateId state;
  std::optional<ContextId> frame;  // none: the rule at the bottom
};

struct StackTree {
  std::vector<StackFrame> frames;  // lower frames first
  std::vector<StackTop> tops;      // at most `max_tops`
  size_t n_tops = 0;               // total, without the empty stack of a complete text
};

// Throws MatcherStateError if the grammar was compiled for another parser.
StackTree stacks_of(const Matcher& matcher, size_t max_tops);

}  // namespace xg2lab
