// Left recursion in a program: a rule that comes back to itself before a byte is consumed.
//
// Twin:  xg2lab/reference/pda.py
// Tests: tests/differential/test_pda.py
//
// IDEA
//   A parser that pushes at every call never stops on such a rule; Earley's doesn't mind. The rules
//   are the nodes of a graph: A leads to B if B is called from a state of A that no byte is needed to reach, by calls
//   of rules that match the empty string. So direct, mutual and hidden left recursion are one thing, a cycle.
//
// EXAMPLE   e ::= e "+" t | t     e -> e
//           a ::= b? a "x" | "y"   a -> a, as b? may match nothing
//
// COST      linear in the program.
#pragma once

#include <vector>

#include "program/program.h"

namespace xg2lab {

// The rules of one cycle, the first once more at the end; empty if there is none.
std::vector<RuleId> find_left_recursion(const Program& program);

}  // namespace xg2lab
