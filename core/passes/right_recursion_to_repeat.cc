// Sorts a rule's alternatives: joining (A m A), continuing (x A), ending (y). Read:
// right_recursion_to_repeat, then remade_body. The trick: x* y occurs twice in the result, as one
// shared node.
#include "passes/right_recursion_to_repeat.h"

#include <algorithm>
#include <utility>

#include "grammar/rewrite.h"

namespace xg2lab::passes {
namespace {

SourceSpan hull(SourceSpan a, SourceSpan b) {
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

constexpr size_t kMostSharedNodes = 200;  // of x* y, which later passes visit twice

bool is_reference(const Grammar& grammar, ExprId id, RuleId rule) {
  return grammar.expr(id).kind == ExprKind::kRuleRef && grammar.rule_ref(id) == rule;
}

bool ends_in_rule(const Grammar& grammar, ExprId alternative, RuleId rule) {
  if (is_reference(grammar, alternative, rule)) return true;
  return grammar.expr(alternative).kind == ExprKind::kSequence &&
         is_reference(grammar, grammar.children(alternative).back(), rule);
}

// Whether some alternatives end in the rule itself and some do not.
bool recurs_at_its_end(const Grammar& grammar, RuleId rule) {
  const ExprId body = grammar.rule(rule).body;
  const RuleOptions* options = grammar.rule(rule).options.get();
  const bool keeps_rule = options != nullptr && options->keeps_rule();
  if (grammar.expr(body).kind != ExprKind::kChoice || keeps_rule) return false;
  const auto alternatives = grammar.children(body);
  const auto n = std::count_if(alternatives.begin(), alternatives.end(), [&](ExprId alternative) {
    return ends_in_rule(grammar, alternative, rule);
  });
  return n > 0 && static_cast<size_t>(n) < alternatives.size();
}

// Expressions that become one choice, and the span that covers them.
struct Alternatives {
  std::vector<ExprId> exprs;
  SourceSpan span;

  void add(ExprId id, SourceSpan where) {
    span = exprs.empty() ? where : hull(span, where);
    exprs.push_back(id);
  }
};

class Rewriter {
 public:
  Rewriter(const Grammar& grammar, GrammarBuilder& builder)
      : grammar_(grammar), builder_(builder), rules_(same_rules(grammar)) {
    n_nodes_.reserve(grammar.n_exprs());
    for (size_t i = 0; i < grammar.n_exprs(); ++i) {
      size_t n_nodes = 1;
      for (ExprId child : grammar.children(ExprId(i))) n_nodes += n_nodes_[child.index()];
      n_nodes_.push_back(std::min(n_nodes, kMostSharedNodes + 1));
    }
  }

  ExprId body_of(RuleId rule) {
    const ExprId body = grammar_.rule(rule).body;
    if (recurs_at_its_end(grammar_, rule)) return remade_body(rule, body);
    return builder_.copy(grammar_, body, rules_);
  }

 private:
  bool is_rule(ExprId id, RuleId rule) const { return is_reference(grammar_, id, rule); }
  bool ends_in(ExprId alternative, RuleId rule) const {
    return ends_in_rule(grammar_, alternative, rule);
  }
  bool joins(ExprId alternative, RuleId rule) const {
    return grammar_.expr(alternative).kind == ExprKind::kSequence &&
           is_rule(grammar_.children(alternative).front(), rule) && ends_in(alternative, rule);
  }

  ExprId remade_body(RuleId rule, ExprId body) {
    // A large x* y would be lowered twice, so joining alternatives are then treated as continuing
    // ones.
    const bool may_share = n_nodes_[body.index()] <= kMostSharedNodes;
    Alternatives joints;
    Alternatives loops;
    Alternatives ends;
    for (ExprId alternative : grammar_.children(body)) {
      const SourceSpan span = grammar_.expr(alternative).span;
      if (!ends_in(alternative, rule)) {
        ends.add(builder_.copy(grammar_, alternative, rules_), span);
      } else if (is_rule(alternative, rule)) {
        continue;  // A ::= A | y equals A ::= y
      } else if (may_share && joins(alternative, rule)) {
        joints.add(middle(alternative, 1), span);
      } else {
        loops.add(middle(alternative, 0), span);
      }
    }
    const SourceSpan span = grammar_.expr(body).span;
    ExprId once = builder_.choice(ends.exprs, ends.span);
    // once = x* y
    if (!loops.exprs.empty()) {
      const ExprId parts[] = {repeat(builder_.choice(loops.exprs, loops.span), loops.span), once};
      once = builder_.sequence(parts, hull(loops.span, ends.span));
    }
    if (joints.exprs.empty()) return once;
    // (x* y m)* x* y; the expression `once` is shared
    const ExprId parts[] = {once, builder_.choice(joints.exprs, joints.span)};
    const ExprId whole[] = {repeat(builder_.sequence(parts, span), span), once};
    return builder_.sequence(whole, span);
  }

  ExprId repeat(ExprId child, SourceSpan span) {
    return builder_.repeat(child, 0, kNoUpperBound, span);
  }

  // The parts of a sequence without its last and its first `n_skipped`.
  ExprId middle(ExprId sequence, size_t n_skipped) {
    const auto all = grammar_.children(sequence);
    const auto kept = all.subspan(n_skipped, all.size() - 1 - n_skipped);
    if (kept.empty()) return builder_.empty(grammar_.expr(sequence).span);
    std::vector<ExprId> children;
    for (ExprId child : kept) children.push_back(builder_.copy(grammar_, child, rules_));
    const SourceSpan span = hull(grammar_.expr(kept.front()).span, grammar_.expr(kept.back()).span);
    return builder_.sequence(children, span);
  }

  const Grammar& grammar_;
  GrammarBuilder& builder_;
  std::vector<RuleId> rules_;
  std::vector<size_t> n_nodes_;  // index: ExprId. Tree size, counted up to just above the limit
};

}  // namespace

Grammar right_recursion_to_repeat(Grammar grammar) {
  const auto rules = same_rules(grammar);
  const auto recurs = [&](RuleId rule) { return recurs_at_its_end(grammar, rule); };
  if (std::none_of(rules.begin(), rules.end(), recurs)) return grammar;
  GrammarBuilder builder = GrammarBuilder::like(grammar);
  Rewriter rewriter(grammar, builder);
  for (RuleId rule : rules) {
    builder.set_body(rule, rewriter.body_of(rule));
    const auto lookahead = grammar.rule(rule).lookahead;
    if (lookahead) builder.set_lookahead(rule, builder.copy(grammar, *lookahead, rules));
  }
  return std::move(builder).build(grammar.root());
}

}  // namespace xg2lab::passes
