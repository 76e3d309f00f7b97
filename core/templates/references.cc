#include "templates/references.h"

#include <algorithm>
#include <utility>

#include "grammar/walk.h"
#include "support/budget.h"

namespace xg2lab::templates {

std::vector<RuleReferences> references_of_rules(const Grammar& grammar) {
  std::vector<RuleReferences> references(grammar.n_rules());
  std::vector<size_t> visited_by(grammar.n_exprs());  // the number of the last walk that was here
  std::vector<size_t> named_by(grammar.n_rules());    // the same
  std::vector<ExprId> pending;
  size_t n_walks = 0;
  const auto rules_in = [&](ExprId body) {
    ++n_walks;
    std::vector<RuleId> rules;
    const auto is_new = [&](ExprId id) {
      return std::exchange(visited_by[id.index()], n_walks) != n_walks;
    };
    const auto visit = [&](ExprId id) {
      count_work("reading the template's rules");
      if (grammar.expr(id).kind != ExprKind::kRuleRef) return;
      const RuleId named = grammar.rule_ref(id);
      if (std::exchange(named_by[named.index()], n_walks) != n_walks) rules.push_back(named);
    };
    for_each_expr(grammar, body, is_new, visit, pending);
    return rules;
  };
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    const Rule& rule = grammar.rule(RuleId(i));
    references[i].body = rules_in(rule.body);
    if (rule.lookahead) references[i].lookahead = rules_in(*rule.lookahead);
    if (rule.options && rule.options->parts)
      references[i].parts = grammar.find_rule(*rule.options->parts).value();
  }
  return references;
}

std::vector<bool> rules_with_holes(const Template& of,
                                   const std::vector<RuleReferences>& references) {
  std::vector<std::vector<RuleId>> callers(references.size());
  for (size_t i = 0; i < references.size(); ++i) {
    references[i].for_each([&](RuleId called) { callers[called.index()].push_back(RuleId(i)); });
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
