// The graph of references between rules, and which rules are recursive.
//
// IDEA
//   The rules and their references are a directed graph. Tarjan's algorithm (1972) lists its
//   strongly connected components callees first, the order in which inlining works bottom-up.
#pragma once

#include <vector>

#include "grammar/grammar.h"

namespace xg2lab::analysis {

struct RuleGraph {
  explicit RuleGraph(const Grammar& grammar);

  // The references in the body of a rule, in the order of the text, with repetitions.
  std::span<const ExprId> references(RuleId rule) const {
    return std::span<const ExprId>(reference_table)
        .subspan(reference_begins[rule.index()],
                 reference_begins[rule.index() + 1] - reference_begins[rule.index()]);
  }

  std::vector<ExprId> reference_table;
  std::vector<uint32_t> reference_begins;
  std::vector<bool> is_recursive;   // index: RuleId. Refers to itself, directly or through others
  std::vector<uint32_t> component;  // index: RuleId. Equal if each refers to the other
  // a rule comes after the rules it refers to, except within a component
  std::vector<RuleId> callees_first;
};

// The rules reachable from the root through bodies, lookaheads and the option `parts`; index:
// RuleId.
std::vector<bool> reachable_rules(const Grammar& grammar);

}  // namespace xg2lab::analysis
