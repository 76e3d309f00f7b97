// A program as plain tables, for serialization.
//
// Tests: tests/core/test_serialization.py, tests/core/test_serialization_hostile.py
//
// IDEA
//   The tables hold the machines as they were lowered, with their names and spans. ProgramBuilder
//   derives everything else again (tail edges, nullable rules, byte classes, return states, unique
//   contexts), so derived facts can't contradict the machines. A serialized program may have been
//   changed, by mistake or by malice, so every invariant of program.h and fsm.h that the parser
//   relies on is checked before a Program is made.
//
//   EXAMPLE   A state that can't reach an accepting state would yield masks without a token: the
//   program is refused. A machine that isn't minimal, or that accepts other texts than the
//   original, is still a valid program: it is accepted.
//
// REPRESENTATION
//   The states of all rules stand in one table and their edges in another; each state records its
//   number of edges. The target of an edge is counted from its rule's first state.
//
// COST      linear in the tables, in both directions; allocations are proportional to the tables.
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
// Throws DeserializeFormatError, naming the faulty table entry, if the tables are not a valid
// program for this source.
Program from_plain(const PlainProgram& plain, std::shared_ptr<const SourceText> source);

}  // namespace xg2lab
