// Read: KeptRules (a walk from the root that steps over members), members_by_text, with_ends.
#include "lower/member_machines.h"

#include <algorithm>
#include <string_view>

namespace xg2lab {

std::optional<ExprId> body_of_part(const Grammar& grammar, ExprId child) {
  if (grammar.expr(child).kind != ExprKind::kRuleRef) return child;
  const Rule& rule = grammar.rule(grammar.rule_ref(child));
  const bool is_apart = rule.options != nullptr || is_large_machine(grammar, rule.body) ||
                        grammar.expr(rule.body).kind == ExprKind::kDispatch;
  if (is_apart) return std::nullopt;
  return rule.body;
}

namespace {

// The rules reachable from the root. A rule used as a member or separator counts only if its body
// can't be inlined.
std::vector<bool> needed_rules(const Grammar& grammar) {
  std::vector<bool> is_needed(grammar.n_rules());
  std::vector<bool> seen(grammar.n_exprs());
  std::vector<ExprId> pending;
  std::vector<RuleId> rules;  // needed rules whose option `parts` may name a further rule
  const auto need = [&](RuleId rule) {
    if (is_needed[rule.index()]) return;
    is_needed[rule.index()] = true;
    pending.push_back(grammar.rule(rule).body);
    rules.push_back(rule);
  };
  need(grammar.root());
  while (!pending.empty() || !rules.empty()) {
    if (!rules.empty()) {
      const Rule& rule = grammar.rule(rules.back());
      rules.pop_back();
      if (rule.options && rule.options->parts)
        need(grammar.find_rule(*rule.options->parts).value());
      continue;
    }
    const ExprId id = pending.back();
    pending.pop_back();
    if (seen[id.index()]) continue;
    seen[id.index()] = true;
    if (grammar.expr(id).kind == ExprKind::kRuleRef) need(grammar.rule_ref(id));
    const bool has_parts = grammar.expr(id).kind == ExprKind::kAnyOrder;
    for (const ExprId child : grammar.children(id))
      pending.push_back((has_parts ? body_of_part(grammar, child) : std::nullopt).value_or(child));
  }
  return is_needed;
}

}  // namespace

KeptRules::KeptRules(const Grammar& grammar) : ids_(grammar.n_rules()) {
  const std::vector<bool> is_kept = has_kind(grammar, ExprKind::kAnyOrder)
                                        ? needed_rules(grammar)
                                        : std::vector<bool>(grammar.n_rules(), true);
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    if (!is_kept[i]) continue;
    ids_[i] = RuleId(rules_.size());
    rules_.push_back(RuleId(i));
  }
}

std::vector<uint32_t> members_by_text(const Grammar& grammar, ExprId any_order) {
  const auto first_text = [&](ExprId child) -> std::string_view {
    auto at = body_of_part(grammar, child);
    while (at && grammar.expr(*at).kind == ExprKind::kSequence) at = grammar.children(*at).front();
    return at && grammar.expr(*at).kind == ExprKind::kLiteral ? grammar.literal(*at)
                                                              : std::string_view();
  };
  const auto children = grammar.children(any_order);
  std::vector<uint32_t> order(children.size() - 1);
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  if (grammar.any_order(any_order).is_ordered) return order;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return first_text(children[a]) < first_text(children[b]);
  });
  return order;
}

MemberMachine with_ends(const FrozenFsm& marked) {
  MemberMachine machine;
  machine.ends.resize(marked.n_states());
  std::vector<uint32_t> number(marked.n_states());
  uint32_t n_kept = 0;
  for (size_t s = 0; s < marked.n_states(); ++s) {
    number[s] = n_kept;
    if (marked.is_accepting[s]) continue;
    for (const RuleEdge& edge : marked.rules(StateId(s))) {
      if (edge.rule >= end_of_member(0))
        machine.ends[n_kept].push_back(edge.rule.value - end_of_member(0).value);
    }
    ++n_kept;
  }
  machine.ends.resize(n_kept);
  FrozenFsm& fsm = machine.fsm;
  fsm.is_deterministic = marked.is_deterministic;
  for (size_t s = 0; s < marked.n_states(); ++s) {
    if (marked.is_accepting[s]) continue;
    fsm.begin_state();
    fsm.is_accepting.push_back(!machine.ends[number[s]].empty());
    for (TerminalEdge edge : marked.terminals(StateId(s))) {
      edge.to = StateId(number[edge.to.index()]);
      fsm.terminal_edges.push_back(edge);
    }
    for (RuleEdge edge : marked.rules(StateId(s))) {
      if (edge.rule >= end_of_member(0)) continue;
      edge.to = StateId(number[edge.to.index()]);
      fsm.rule_edges.push_back(edge);
    }
  }
  fsm.begin_state();
  return machine;
}

}  // namespace xg2lab
