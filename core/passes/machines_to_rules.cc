// A single rewriting.
#include "passes/machines_to_rules.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "grammar/rewrite.h"
#include "passes/names_of_parts.h"

namespace xg2lab::passes {
namespace {

bool becomes_rule(const Grammar& grammar, ExprId id) {
  return grammar.expr(id).kind == ExprKind::kDispatch || is_large_machine(grammar, id);
}

bool has_any(const Grammar& grammar) {
  for (size_t i = 0; i < grammar.n_exprs(); ++i) {
    if (becomes_rule(grammar, ExprId(i))) return true;
  }
  return false;
}

// Dispatches and large machines that are nested in another expression; index: ExprId.
std::vector<bool> inner_machines(const Grammar& grammar) {
  std::vector<bool> inner(grammar.n_exprs());
  const std::vector<bool> used = used_exprs(grammar);
  for (size_t i = 0; i < grammar.n_exprs(); ++i) {
    if (!used[i]) continue;
    for (ExprId child : grammar.children(ExprId(i))) {
      if (becomes_rule(grammar, child)) inner[child.index()] = true;
    }
  }
  return inner;
}

}  // namespace

Grammar machines_to_rules(Grammar grammar) {
  if (!has_any(grammar)) return grammar;
  const std::vector<bool> inner = inner_machines(grammar);
  if (std::find(inner.begin(), inner.end(), true) == inner.end()) return grammar;
  NamesOfParts names(grammar);
  return rewrite(std::move(grammar), [&](GrammarBuilder& builder, ExprId old,
                                         std::span<const ExprId> children) {
    const ExprId made = builder.with_children(old, children);
    if (!inner[old.index()]) return made;
    const SourceSpan span = builder.expr(old).span;
    const bool is_dispatch = builder.expr(old).kind == ExprKind::kDispatch;
    const RuleId rule = builder.add_rule(
        names.next(builder.so_far(), old, is_dispatch ? "_dispatch" : "_machine"), span);
    builder.set_body(rule, made, span);
    return builder.rule_ref(rule, span);
  });
}

}  // namespace xg2lab::passes
