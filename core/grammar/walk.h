// Visits the nodes of one expression in the order of the text.
//
// Tests: tests/core/test_passes.py
//
// COST      linear in the nodes; `is_new` tells shared nodes that were visited before. The walk
//           uses an explicit stack, its own or the caller's.
#pragma once

#include <vector>

#include "grammar/grammar.h"

namespace xg2lab {

// Calls visit(id) for `root` and all nodes below it, parents first, leftmost first. is_new(id) is
// called for each edge to a node, and must return true the first time only.
template <class IsNew, class Visit>
void for_each_expr(const Grammar& grammar, ExprId root, IsNew is_new, Visit visit,
                   std::vector<ExprId>& pending) {
  pending.assign(1, root);
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    if (!is_new(id)) continue;
    visit(id);
    const auto children = grammar.children(id);
    pending.insert(pending.end(), children.rbegin(), children.rend());
  }
}

template <class IsNew, class Visit>
void for_each_expr(const Grammar& grammar, ExprId root, IsNew is_new, Visit visit) {
  std::vector<ExprId> pending;
  for_each_expr(grammar, root, is_new, visit, pending);
}

}  // namespace xg2lab
