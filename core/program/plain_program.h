// A program as plain tables, for serialization.
//
// Tests: tests/core/test_serialization.py, tests/core/test_serialization_hostile.py,
//        tests/unit/program_plain.cc
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
//   The states of all rules are in one table and their edges in another; each state records its
//   number of edges. The target of an edge is counted from its rule's first state.
//   program/plain_fields.h lists the fields of each table.
//
// COST      linear in the tables, in both directions; allocations are proportional to the tables.
#pragma once

#include <memory>
#include <vector>

#include "program/program.h"

namespace xg2lab {

struct PlainState {
  bool is_accepting = false;
  uint32_t n_terminal_edges = 0;
  uint32_t n_rule_edges = 0;
};

struct PlainProgram {
  RuleId root;
  std::vector<LoweredRule> rules;  // members without `reach` and `reach_sets`
  std::vector<PlainState> states;
  std::vector<TerminalEdge> terminal_edges;
  std::vector<RuleEdge> rule_edges;
  std::vector<uint32_t> n_spans;  // index: origin set
  std::vector<SourceSpan> spans;
};

// The options of one rule: a row of a table of their own, because most rules have none.
struct PlainRunOptions {
  RuleId rule;
  RunOptions options;
};
std::vector<PlainRunOptions> rows_of_run_options(const PlainProgram& plain);

// The facts of an any-order rule and of its member rule.
struct PlainAnyOrder {
  RuleId rule;
  AnyOrderFacts facts;
  std::vector<std::vector<uint32_t>> ends;  // MemberFacts::ends
};
std::vector<PlainAnyOrder> rows_of_any_order(const PlainProgram& plain);

// Throw std::invalid_argument if a rule of the row does not exist or has such facts already.
void add_run_options(PlainProgram& plain, PlainRunOptions row);
void add_any_order(PlainProgram& plain, PlainAnyOrder row);

PlainProgram to_plain(const Program& program);
// Throws DeserializeFormatError, naming the faulty table entry, if the tables are not a valid
// program for this source.
Program from_plain(const PlainProgram& plain, std::shared_ptr<const SourceText> source);

}  // namespace xg2lab
