// What passes are made of: a walk over a grammar's nodes, children first, that puts others in place of some.
//
// IDEA
//   Children have smaller ids than their parent (I1 of Grammar), so a loop over ids is a walk from
//   the leaves up. No pass recurses, and a node that two parents share is rebuilt once.
//   A pass owns its grammar. What it changes is added behind what there is, with all that it is part of; the rest keeps its
//   place, and what nobody needs any more is left out at the end (with_rules). So a pass costs a glance at each node, and a few
//   more steps for those that change.
#pragma once

#include <utility>
#include <vector>

#include "grammar/grammar.h"

namespace xg2lab {

// Which expressions are part of a rule's body or lookahead; index: ExprId.
std::vector<bool> used_exprs(const Grammar& grammar);

// RuleId(0), RuleId(1), ...
std::vector<RuleId> same_rules(const Grammar& grammar);

// The grammar with the same rules, and those that `remake` adds, in which every used expression is remade.
// remake(builder, old, children) makes, in `builder`, what becomes of one expression; `children` are those of the new grammar.
// The grammar at hand is builder.so_far(): what that gives out is valid until something is added.
template <class Remake>
Grammar rewrite(Grammar grammar, Remake remake) {
  const std::vector<bool> used = used_exprs(grammar);
  const size_t n_rules = grammar.n_rules();
  const RuleId root = grammar.root();
  GrammarBuilder builder(std::move(grammar));
  std::vector<ExprId> remade(used.size());
  std::vector<ExprId> children;
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    children.clear();
    for (ExprId child : builder.children(ExprId(i))) children.push_back(remade[child.index()]);
    remade[i] = remake(builder, ExprId(i), std::span<const ExprId>(children));
  }
  for (size_t i = 0; i < n_rules; ++i) {
    const Rule& rule = builder.so_far().rule(RuleId(i));
    builder.set_body(RuleId(i), remade[rule.body.index()]);
    if (rule.lookahead) builder.set_lookahead(RuleId(i), remade[rule.lookahead->index()]);
  }
  const std::vector<bool> all(builder.n_rules(), true);
  return with_rules(std::move(builder).build(root), all);
}

// The grammar with these warnings added, except those it has already: a pass may run twice.
Grammar with_warnings(Grammar grammar, std::vector<Diagnostic> warnings);

}  // namespace xg2lab
