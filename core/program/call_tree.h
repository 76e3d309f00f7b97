// The call tree of a program: its rules, expanded at each of their call sites.
//
// Twin:  xg2lab/reference/operator_tree.py (growth and cycles)
// Tests: tests/core/test_operators_parser.py, tests/differential/test_operators.py
//
// IDEA
//   A node of the tree is a call site of a rule and the node around it. If no rule leads back to
//   itself, the tree is finite: a node then determines everything that may follow, so the parser
//   needs neither origins nor a stack that grows with the text. The price is growth, since a rule
//   occurs once for each way in which the root leads to it.
//
// EXAMPLE   root ::= a b   a ::= b b   b ::= "x"      root, a, b (three times): 5 nodes
//
// COST      linear in the program: nodes are counted, not made.
// SEE ALSO  program/left_recursion.h: the cycles that a stack alone can't follow;
// 0041-operators.md.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "program/program.h"

namespace xg2lab {

// A call: the rule that calls, and the edge.
struct RuleCall {
  RuleId from;
  RuleId to;
  OriginSetId origins;
};

// The calls of one cycle among the rules that the root leads to, in turn; empty if there is none.
std::vector<RuleCall> find_recursion(const Program& program);

struct CallTreeSize {
  size_t n_nodes = 0;  // of the whole tree, SIZE_MAX for more
  std::vector<RuleId>
      largest;  // from the root, each time the rule that has the most nodes below it
};

// Of a program without recursion.
CallTreeSize call_tree_size(const Program& program);

}  // namespace xg2lab
