// Which rules refer to which, and which are recursive.
//
// IDEA
//   The rules and their references are a directed graph. Its strongly connected components (Tarjan
//   1972) come out callees first, which is the order in which inlining works from the bottom up.
#pragma once

#include <vector>

#include "grammar/grammar.h"

namespace xg2lab::analysis {

struct RuleGraph {
  explicit RuleGraph(const Grammar& grammar);

  // References to rules in the body of a rule, in the order of the text, repeated if repeated.
  std::span<const ExprId> references(RuleId rule) const {
    return std::span<const ExprId>(reference_table)
        .subspan(reference_begins[rule.index()],
                 reference_begins[rule.index() + 1] - reference_begins[rule.index()]);
  }

  std::vector<ExprId> reference_table;
  std::vector<uint32_t> reference_begins;
  std::vector<bool> is_recursive;     // index: RuleId. Refers to itself, directly or through others
  std::vector<uint32_t> component;    // index: RuleId. Equal: each refers to the other
  std::vector<RuleId> callees_first;  // a rule comes after those it refers to, but for recursion
};

// Rules that can be reached from the root, through bodies, lookaheads and the option `parts`;
// index: RuleId.
std::vector<bool> reachable_rules(const Grammar& grammar);

}  // namespace xg2lab::analysis
