// Left recursion in a program: a rule that comes back to itself before a byte is consumed.
//
// Twin:  xg2lab/reference/pda.py
// Tests: tests/differential/test_pda.py
//
// IDEA
//   A parser that pushes a frame at every call never stops on a left-recursive rule; Earley's
//   parser terminates. The rules are the nodes of a graph with an edge from A to B if A can call B
//   before it has consumed a byte, that is, from a state of A that is reached from A's start by
//   calls of nullable rules alone. Direct, mutual and hidden left recursion are all the same thing
//   in this graph: a cycle.
//
// EXAMPLE   e ::= e "+" t | t      cycle e -> e
//           a ::= b? a "x" | "y"   cycle a -> a, as b? may match the empty string
//
// COST      linear in the program.
#pragma once

#include <vector>

#include "program/program.h"

namespace xg2lab {

// The rules of one cycle, with the first rule repeated at the end; empty if the program has no left
// recursion.
std::vector<RuleId> find_left_recursion(const Program& program);

}  // namespace xg2lab
