// Runs of kLiteral among the children of each kSequence.
#include "passes/fuse_literals.h"

#include <algorithm>
#include <string>
#include <utility>

#include "grammar/rewrite.h"

namespace xg2lab::passes {
namespace {

SourceSpan joined(SourceSpan first, SourceSpan last) {
  return first.begin <= last.begin && first.end <= last.end ? SourceSpan{first.begin, last.end}
                                                            : first;
}

bool is_literal(const Grammar& grammar, ExprId id) {
  return grammar.expr(id).kind == ExprKind::kLiteral;
}

bool has_neighbours(const Grammar& grammar, ExprId id) {
  if (grammar.expr(id).kind != ExprKind::kSequence) return false;
  const auto children = grammar.children(id);
  return std::adjacent_find(children.begin(), children.end(), [&](ExprId a, ExprId b) {
           return is_literal(grammar, a) && is_literal(grammar, b);
         }) != children.end();
}

}  // namespace

Grammar fuse_literals(Grammar grammar) {
  bool is_fused = true;
  for (size_t i = 0; i < grammar.n_exprs() && is_fused; ++i)
    is_fused = !has_neighbours(grammar, ExprId(i));
  if (is_fused) return grammar;
  std::vector<ExprId> fused;
  const auto remake = [&](GrammarBuilder& builder, ExprId old, std::span<const ExprId> children) {
    if (!has_neighbours(builder.so_far(), old)) return builder.with_children(old, children);
    fused.clear();
    for (size_t i = 0; i < children.size();) {
      size_t end = i + 1;
      if (is_literal(builder.so_far(), children[i])) {
        while (end < children.size() && is_literal(builder.so_far(), children[end])) ++end;
      }
      if (end == i + 1) {
        fused.push_back(children[i]);
      } else {
        std::string bytes;
        for (size_t j = i; j < end; ++j) bytes += builder.so_far().literal(children[j]);
        const SourceSpan span =
            joined(builder.expr(children[i]).span, builder.expr(children[end - 1]).span);
        fused.push_back(builder.literal(bytes, span));
      }
      i = end;
    }
    return builder.sequence(fused, builder.expr(old).span);
  };
  return rewrite(std::move(grammar), remake);
}

}  // namespace xg2lab::passes
