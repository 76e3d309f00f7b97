// The stacks of a pushdown automaton as one tree: what a view draws of the persistent execution stack.
//
// Tests: tests/core/test_stacks.py
//
// IDEA
//   Every stack that is alive is a state on top and a chain of frames below it; stacks share the frames they
//   have in common (column_table.h). Collected are the tops of one column and all frames they stand on.
//
// EXAMPLE   root ::= "(" root ")" | "x"  after "((":  one top before `root`'s start, on two frames that return before ")".
//
// COST      linear in the frames that are collected; asked for by people only.
// SEE ALSO  XGrammar section 3.3 (persistent execution stack).
#pragma once

#include <optional>
#include <vector>

#include "runtime/matcher.h"

namespace xg2lab {

struct StackFrame {
  ColumnId id;                    // the same for equal frames of all times, until the table is left
  std::optional<ColumnId> below;  // none: the bottom
  RuleId called;
  StateId returns_to;
  CountIntervals counts;  // iterations done on return; empty where nothing is counted
};

struct StackTop {
  StateId state;
  std::optional<ColumnId> frame;  // none: the rule at the bottom
};

struct StackTree {
  std::vector<StackFrame> frames;  // those below before those above
  std::vector<StackTop> tops;      // at most `max_tops`
  size_t n_tops = 0;               // of all, without the empty stack of a complete text
};

// Throws MatcherStateError if the grammar was compiled for another parser.
StackTree stacks_of(const Matcher& matcher, size_t max_tops);

}  // namespace xg2lab
