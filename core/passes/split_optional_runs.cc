// Read: may_be_left_out, then one rewriting of sequences.
#include "passes/split_optional_runs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/derive.h"
#include "grammar/rewrite.h"
#include "passes/names_of_parts.h"

namespace xg2lab::passes {
namespace {

constexpr size_t kStretch = 64;

}  // namespace

bool has_long_sequence(const Grammar& grammar) {
  for (size_t i = 0; i < grammar.n_exprs(); ++i) {
    const ExprId id(i);
    if (grammar.expr(id).kind == ExprKind::kSequence && grammar.children(id).size() > kStretch)
      return true;
  }
  return false;
}

Grammar split_optional_runs(Grammar grammar) {
  if (!has_long_sequence(grammar)) return grammar;
  const std::vector<bool> nullable = analysis::find_nullable(grammar).exprs;
  // A rule reference is one edge already.
  const auto may_be_left_out = [&](const Grammar& before, ExprId part) {
    return nullable[part.index()] && before.expr(part).kind != ExprKind::kRuleRef;
  };
  NamesOfParts names(grammar);
  const auto remake = [&](GrammarBuilder& builder, ExprId old, std::span<const ExprId> children) {
    const Expr expr = builder.expr(old);
    if (expr.kind != ExprKind::kSequence || children.size() <= kStretch)
      return builder.with_children(old, children);
    const auto all = builder.children(old);
    const std::vector<ExprId> parts(all.begin(), all.end());  // a copy, as the builder grows
    std::vector<ExprId> made;
    for (size_t i = 0; i < parts.size();) {
      size_t end = i;
      while (end < parts.size() && may_be_left_out(builder.so_far(), parts[end])) ++end;
      if (end - i <= kStretch) {
        end = std::max(end, i + 1);
        made.insert(made.end(), children.begin() + static_cast<ptrdiff_t>(i),
                    children.begin() + static_cast<ptrdiff_t>(end));
        i = end;
        continue;
      }
      while (i < end) {
        const size_t n = std::min(kStretch, end - i);
        const SourceSpan span{builder.expr(parts[i]).span.begin,
                              builder.expr(parts[i + n - 1]).span.end};
        const RuleId rule = builder.add_rule(names.next(builder.so_far(), old, "_stretch"), span);
        builder.set_body(rule, builder.sequence(children.subspan(i, n), span), span);
        made.push_back(builder.rule_ref(rule, span));
        i += n;
      }
    }
    return builder.sequence(made, expr.span);
  };
  return rewrite(std::move(grammar), remake);
}

}  // namespace xg2lab::passes
