// The common part of passes: a bottom-up walk over a grammar's expressions that replaces some of
// them.
//
// IDEA
//   Children have smaller ids than their parent (I1 of Grammar), so a loop over ids visits children
//   first. No pass recurses, and a node with two parents is rebuilt once.
//
//   A pass owns its grammar. Changed expressions, and the expressions that contain them, are
//   appended; all others keep their ids, and unused expressions are dropped at the end
//   (with_rules). So a pass costs one look at each node, and a few more steps for each node that
//   changes.
#pragma once

#include <utility>
#include <vector>

#include "grammar/grammar.h"

namespace xg2lab {

// The expressions that are part of a rule's body or lookahead; index: ExprId.
std::vector<bool> used_exprs(const Grammar& grammar);

// RuleId(0), RuleId(1), ...
std::vector<RuleId> same_rules(const Grammar& grammar);

// Remakes every used expression of the grammar, and keeps its rules; `remake` may add rules.
// remake(builder, old, children) builds the replacement of `old` in `builder`; `children` are
// expressions of the new grammar. builder.so_far() is the current grammar; references into it are
// valid until something is added.
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

// The grammar with these warnings added, except those that it has already: a pass may run twice.
Grammar with_warnings(Grammar grammar, std::vector<Diagnostic> warnings);

}  // namespace xg2lab
