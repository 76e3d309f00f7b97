// Runs of kLiteral among the children of each kSequence.
#include "passes/fuse_literals.h"

#include <algorithm>
#include <string>
#include <utility>

#include "passes/rewrite.h"

namespace xg2lab::passes {
namespace {

SourceSpan joined(SourceSpan first, SourceSpan last) {
  return first.begin <= last.begin && first.end <= last.end ? SourceSpan{first.begin, last.end}
                                                            : first;
}

}  // namespace

Grammar fuse_literals(Grammar grammar) {
  const auto rules = same_rules(grammar);
  std::vector<ExprId> fused;
  const auto is_literal = [&](ExprId id) { return grammar.expr(id).kind == ExprKind::kLiteral; };
  const auto has_neighbours = [&](ExprId id) {
    const auto children = grammar.children(id);
    return grammar.expr(id).kind == ExprKind::kSequence &&
           std::adjacent_find(children.begin(), children.end(), [&](ExprId a, ExprId b) {
             return is_literal(a) && is_literal(b);
           }) != children.end();
  };
  bool is_fused = true;
  for (size_t i = 0; i < grammar.n_exprs() && is_fused; ++i) is_fused = !has_neighbours(ExprId(i));
  if (is_fused) return grammar;
  return rewrite(grammar,
                 [&](GrammarBuilder& builder, ExprId old, std::span<const ExprId> children) {
                   if (grammar.expr(old).kind != ExprKind::kSequence) {
                     return builder.copy_node(grammar, old, children, rules);
                   }
                   const auto old_children = grammar.children(old);
                   fused.clear();
                   for (size_t i = 0; i < children.size();) {
                     size_t end = i + 1;
                     if (is_literal(old_children[i])) {
                       while (end < children.size() && is_literal(old_children[end])) ++end;
                     }
                     if (end == i + 1) {
                       fused.push_back(children[i]);
                     } else {
                       std::string bytes;
                       for (size_t j = i; j < end; ++j) bytes += grammar.literal(old_children[j]);
                       const SourceSpan span = joined(grammar.expr(old_children[i]).span,
                                                      grammar.expr(old_children[end - 1]).span);
                       fused.push_back(builder.literal(bytes, span));
                     }
                     i = end;
                   }
                   return builder.sequence(fused, grammar.expr(old).span);
                 });
}

}  // namespace xg2lab::passes
