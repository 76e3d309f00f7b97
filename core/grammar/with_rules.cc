// Works in place: kept rules and expressions move to the front of their table, in order. The trick:
// ids only decrease, and rows of children are in the order of their parents, so nothing is
// overwritten before it is read.
#include <algorithm>
#include <utility>

#include "grammar/grammar.h"

namespace xg2lab {

Grammar with_rules(Grammar grammar, const std::vector<bool>& kept) {
  for (Rule& rule : grammar.rules_) {
    if (!rule.options || !rule.options->parts) continue;
    if (kept[grammar.find_rule(*rule.options->parts)->index()]) continue;
    auto others = std::make_shared<RuleOptions>(*rule.options);
    others->parts = std::nullopt;
    if (others->is_empty()) rule.options = nullptr;
    else rule.options = std::move(others);
  }
  std::vector<Expr>& exprs = grammar.exprs_;
  std::vector<ExprId>& children = grammar.child_table_;
  constexpr uint32_t kUnused = UINT32_MAX;
  // index: old id; its new id, for used expressions
  std::vector<uint32_t> number(exprs.size(), kUnused);
  const auto use = [&](ExprId id) { number[id.index()] = 0; };
  std::vector<RuleId> rules(grammar.n_rules());
  size_t n_rules = 0;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    rules[i] = RuleId(n_rules);
    Rule& rule = grammar.rules_[i];
    use(rule.body);
    if (rule.lookahead) use(*rule.lookahead);
    if (n_rules < i) grammar.rules_[n_rules] = std::move(rule);
    ++n_rules;
  }
  grammar.rules_.resize(n_rules);
  // Children have smaller ids than their parents (I1), so one pass downward marks every used
  // expression.
  for (size_t i = exprs.size(); i-- > 0;) {
    if (number[i] == kUnused || !has_children(exprs[i].kind)) continue;
    for (uint32_t at = exprs[i].first; at < exprs[i].first + exprs[i].count; ++at)
      use(children[at]);
  }
  uint32_t n_exprs = 0;
  uint32_t n_children = 0;
  // Entries move towards the front only: the new position never exceeds the old one.
  for (size_t i = 0; i < exprs.size(); ++i) {
    if (number[i] == kUnused) continue;
    Expr expr = exprs[i];
    if (expr.kind == ExprKind::kRuleRef) expr.first = rules[expr.first].value;
    if (has_children(expr.kind)) {
      for (uint32_t at = 0; at < expr.count; ++at)
        children[n_children + at] = ExprId(number[children[expr.first + at].index()]);
      expr.first = std::exchange(n_children, n_children + expr.count);
    }
    exprs[n_exprs] = expr;
    number[i] = n_exprs++;
  }
  exprs.resize(n_exprs);
  children.resize(n_children);
  for (Rule& rule : grammar.rules_) {
    rule.body = ExprId(number[rule.body.index()]);
    if (rule.lookahead) rule.lookahead = ExprId(number[rule.lookahead->index()]);
  }
  std::erase_if(grammar.rules_by_name_, [&](RuleId id) { return !kept[id.index()]; });
  for (RuleId& id : grammar.rules_by_name_) id = rules[id.index()];
  grammar.root_ = rules[grammar.root_.index()];
  grammar.contents_.clear();
  return grammar;
}

}  // namespace xg2lab
