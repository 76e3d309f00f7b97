// One rewriting; the names come first, as a node doesn't know its rule.
#include "passes/machines_to_rules.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "passes/rewrite.h"

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

// Dispatches and large machines that are part of another expression; index: ExprId.
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

// The first rule that an expression is part of, for each of them; index: ExprId.
std::vector<RuleId> owners(const Grammar& grammar) {
  const RuleId none(UINT32_MAX);
  std::vector<RuleId> owner(grammar.n_exprs(), none);
  const auto claim = [&](ExprId id, RuleId rule) {
    if (owner[id.index()] == none) owner[id.index()] = rule;
  };
  for (RuleId rule : same_rules(grammar)) {
    claim(grammar.rule(rule).body, rule);
    if (grammar.rule(rule).lookahead) claim(*grammar.rule(rule).lookahead, rule);
  }
  for (size_t i = grammar.n_exprs(); i-- > 0;) {
    if (owner[i] == none) continue;
    for (ExprId child : grammar.children(ExprId(i))) claim(child, owner[i]);
  }
  return owner;
}

}  // namespace

Grammar machines_to_rules(Grammar grammar) {
  if (!has_any(grammar)) return grammar;
  const std::vector<bool> inner = inner_machines(grammar);
  if (std::find(inner.begin(), inner.end(), true) == inner.end()) return grammar;
  const std::vector<RuleId> owner = owners(grammar);
  std::vector<size_t> n_made(grammar.n_rules());
  const auto fresh_name = [&](const Grammar& before, RuleId rule, ExprId made) {
    const bool is_dispatch = before.expr(made).kind == ExprKind::kDispatch;
    const std::string stem = before.rule(rule).name + (is_dispatch ? "_dispatch" : "_machine");
    std::string name;
    do {
      const size_t number = ++n_made[rule.index()];
      name = number == 1 ? stem : stem + "_" + std::to_string(number);
    } while (before.find_rule(name));
    return name;
  };
  return rewrite(std::move(grammar),
                 [&](GrammarBuilder& builder, ExprId old, std::span<const ExprId> children) {
                   const ExprId made = builder.with_children(old, children);
                   if (!inner[old.index()]) return made;
                   const SourceSpan span = builder.expr(old).span;
                   const RuleId rule = builder.add_rule(
                       fresh_name(builder.so_far(), owner[old.index()], old), span);
                   builder.set_body(rule, made, span);
                   return builder.rule_ref(rule, span);
                 });
}

}  // namespace xg2lab::passes
