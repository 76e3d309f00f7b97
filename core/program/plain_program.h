// A program as plain tables, for writing down and reading back.
//
// Tests: tests/core/test_serialization.py, tests/core/test_serialization_hostile.py
//
// IDEA
//   Written down are the machines as they were lowered, names and spans. What ProgramBuilder derives from them (tail
//   edges, nullable rules, byte classes, return states, unique contexts) is derived again, so it can't disagree.
//   What was written down may come back changed, by mistake or by malice: every invariant of program.h and fsm.h that
//   the parser relies on is checked before a Program is made.
//
//   EXAMPLE   A state from which no accepting state can be reached would make masks without a token: refused.
//   A machine that isn't minimal, or accepts other texts than it did, is a program like any other: taken.
//
// REPRESENTATION
//   States of all rules stand in one row, edges in another, each state saying how many are its own. Targets count
//   from their rule's first state.
//
// COST      linear in the tables, in both directions; nothing is allocated but in proportion to them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "program/program.h"

namespace xg2lab {

struct PlainProgramRule {
  std::string name;
  SourceSpan span;
  SourceSpan name_span;
  uint32_t n_states = 0;
  std::optional<Repetition> repetition;
  std::shared_ptr<const DispatchFacts> dispatch;
  std::shared_ptr<const TokenSet> tokens;
  std::shared_ptr<const RunOptions> options;
  std::shared_ptr<const AnyOrderFacts> any_order;
  std::shared_ptr<const MemberFacts> members;  // without `reach` and `reach_sets`
};

struct PlainState {
  bool is_accepting = false;
  uint32_t n_terminal_edges = 0;
  uint32_t n_rule_edges = 0;
};

struct PlainProgram {
  uint32_t root = 0;
  std::vector<PlainProgramRule> rules;
  std::vector<PlainState> states;
  std::vector<TerminalEdge> terminal_edges;
  std::vector<RuleEdge> rule_edges;
  std::vector<uint32_t> n_spans;  // index: origin set
  std::vector<SourceSpan> spans;
};

PlainProgram to_plain(const Program& program);
// Throws DeserializeFormatError, with the place, if the tables are no program for this source.
Program from_plain(const PlainProgram& plain, std::shared_ptr<const SourceText> source);

}  // namespace xg2lab
