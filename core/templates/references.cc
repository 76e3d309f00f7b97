#include "templates/references.h"

#include <algorithm>
#include <utility>

#include "grammar/walk.h"
#include "support/budget.h"

namespace xg2lab::templates {

std::vector<std::vector<RuleId>> references_of_rules(const Grammar& grammar) {
  std::vector<std::vector<RuleId>> references(grammar.n_rules());
  std::vector<size_t> visited_by(grammar.n_exprs(), SIZE_MAX);
  std::vector<size_t> named_by(grammar.n_rules(), SIZE_MAX);
  std::vector<ExprId> pending;
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    const Rule& rule = grammar.rule(RuleId(i));
    const auto name = [&](RuleId named) {
      if (std::exchange(named_by[named.index()], i) != i) references[i].push_back(named);
    };
    const auto is_new = [&](ExprId id) { return std::exchange(visited_by[id.index()], i) != i; };
    const auto visit = [&](ExprId id) {
      count_work("reading the template's rules");
      if (grammar.expr(id).kind == ExprKind::kRuleRef) name(grammar.rule_ref(id));
    };
    for_each_expr(grammar, rule.body, is_new, visit, pending);
    if (rule.lookahead) for_each_expr(grammar, *rule.lookahead, is_new, visit, pending);
    if (rule.options && rule.options->parts) name(grammar.find_rule(*rule.options->parts).value());
  }
  return references;
}

std::vector<bool> rules_with_holes(const Template& of,
                                   const std::vector<std::vector<RuleId>>& references) {
  std::vector<std::vector<RuleId>> callers(references.size());
  for (size_t i = 0; i < references.size(); ++i) {
    for (RuleId called : references[i]) callers[called.index()].push_back(RuleId(i));
  }
  std::vector<bool> found(references.size());
  std::vector<RuleId> open;
  const auto add = [&](RuleId rule) {
    if (found[rule.index()]) return;
    found[rule.index()] = true;
    open.push_back(rule);
  };
  for (size_t i = 0; i < references.size(); ++i) {
    if (of.hole(RuleId(i)) != nullptr) add(RuleId(i));
  }
  while (!open.empty()) {
    const RuleId rule = open.back();
    open.pop_back();
    for (RuleId caller : callers[rule.index()]) add(caller);
  }
  return found;
}

}  // namespace xg2lab::templates
