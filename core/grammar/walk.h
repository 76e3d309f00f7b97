// The nodes of one expression, in the order of the text.
//
// Tests: tests/core/test_passes.py
//
// COST      linear in the nodes, which are shared: `is_new` says which were met before. The walk keeps its own stack,
//           or that of a caller who walks often.
#pragma once

#include <vector>

#include "grammar/grammar.h"

namespace xg2lab {

// Calls visit(id) for `root` and all below it, parents first, leftmost first. is_new(id) is asked once for each way to a
// node, and says yes the first time only.
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
