// Sorting a rule's alternatives into those that go on with the rule itself and those that end.
// Read: right_recursion_to_repeat, then remade_body.
#include "passes/right_recursion_to_repeat.h"

#include <algorithm>
#include <utility>

#include "passes/rewrite.h"

namespace xg2lab::passes {
namespace {

SourceSpan hull(SourceSpan a, SourceSpan b) {
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

class Rewriter {
 public:
  Rewriter(const Grammar& grammar, GrammarBuilder& builder)
      : grammar_(grammar), builder_(builder), rules_(same_rules(grammar)) {}

  ExprId body_of(RuleId rule) {
    const ExprId body = grammar_.rule(rule).body;
    if (grammar_.expr(body).kind == ExprKind::kChoice) {
      const auto alternatives = grammar_.children(body);
      const auto goes_on = [&](ExprId alternative) { return ends_in(alternative, rule); };
      const bool some = std::any_of(alternatives.begin(), alternatives.end(), goes_on);
      const bool all = std::all_of(alternatives.begin(), alternatives.end(), goes_on);
      if (some && !all) return remade_body(rule, body);
    }
    return builder_.copy(grammar_, body, rules_);
  }

 private:
  bool is_rule(ExprId id, RuleId rule) const {
    return grammar_.expr(id).kind == ExprKind::kRuleRef && grammar_.rule_ref(id) == rule;
  }
  bool ends_in(ExprId alternative, RuleId rule) const {
    if (is_rule(alternative, rule)) return true;
    return grammar_.expr(alternative).kind == ExprKind::kSequence &&
           is_rule(grammar_.children(alternative).back(), rule);
  }

  ExprId remade_body(RuleId rule, ExprId body) {
    std::vector<ExprId> loops;
    std::vector<ExprId> ends;
    std::optional<SourceSpan> loop_span;
    std::optional<SourceSpan> end_span;
    const auto widen = [](std::optional<SourceSpan>& hull_of_all, SourceSpan span) {
      hull_of_all = hull_of_all ? hull(*hull_of_all, span) : span;
    };
    for (ExprId alternative : grammar_.children(body)) {
      const SourceSpan span = grammar_.expr(alternative).span;
      if (!ends_in(alternative, rule)) {
        ends.push_back(builder_.copy(grammar_, alternative, rules_));
        widen(end_span, span);
      } else if (!is_rule(alternative, rule)) {  // A ::= A | y is A ::= y
        loops.push_back(without_last(alternative));
        widen(loop_span, span);
      }
    }
    const ExprId end = builder_.choice(ends, *end_span);
    if (loops.empty()) return end;
    const ExprId loop = builder_.choice(loops, *loop_span);
    const ExprId repeat = builder_.repeat(loop, 0, kNoUpperBound, *loop_span);
    const ExprId parts[] = {repeat, end};
    return builder_.sequence(parts, grammar_.expr(body).span);
  }

  ExprId without_last(ExprId sequence) {
    std::vector<ExprId> children;
    const auto old_children = grammar_.children(sequence);
    for (ExprId child : old_children.first(old_children.size() - 1)) {
      children.push_back(builder_.copy(grammar_, child, rules_));
    }
    const SourceSpan span{grammar_.expr(sequence).span.begin,
                          grammar_.expr(old_children[old_children.size() - 2]).span.end};
    return builder_.sequence(children, span);
  }

  const Grammar& grammar_;
  GrammarBuilder& builder_;
  std::vector<RuleId> rules_;
};

}  // namespace

Grammar right_recursion_to_repeat(Grammar grammar) {
  GrammarBuilder builder = GrammarBuilder::like(grammar);
  Rewriter rewriter(grammar, builder);
  const auto rules = same_rules(grammar);
  for (RuleId rule : rules) {
    builder.set_body(rule, rewriter.body_of(rule));
    const auto lookahead = grammar.rule(rule).lookahead;
    if (lookahead) builder.set_lookahead(rule, builder.copy(grammar, *lookahead, rules));
  }
  return std::move(builder).build(grammar.root());
}

}  // namespace xg2lab::passes
