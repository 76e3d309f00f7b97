// Read: is_character, bounded_body, then the loop over rules.
#include "passes/bound_characters.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "grammar/rewrite.h"
#include "support/utf8.h"

namespace xg2lab::passes {
namespace {

// Whether each match is one code point.
bool is_character(const Grammar& grammar, ExprId id) {
  switch (grammar.expr(id).kind) {
    case ExprKind::kClass: return true;
    case ExprKind::kLiteral: {
      const auto first = decode_utf8(grammar.literal(id), 0);
      return first && first->n_bytes == grammar.literal(id).size();
    }
    case ExprKind::kChoice: {
      const auto alternatives = grammar.children(id);
      return std::all_of(alternatives.begin(), alternatives.end(), [&](ExprId alternative) {
        const ExprKind kind = grammar.expr(alternative).kind;
        return kind != ExprKind::kChoice && is_character(grammar, alternative);
      });
    }
    default: return false;
  }
}

// Whether the rule's limit can become the upper bound of its body.
bool can_bound(const Grammar& grammar, const Rule& rule) {
  if (!rule.options || !rule.options->max_chars || rule.options->is_lazy) return false;
  const Expr& body = grammar.expr(rule.body);
  return body.kind == ExprKind::kRepeat && body.min <= *rule.options->max_chars &&
         is_character(grammar, grammar.children(rule.body)[0]);
}

}  // namespace

Grammar bound_characters(Grammar grammar) {
  GrammarBuilder builder = GrammarBuilder::like(grammar);
  const auto rules = same_rules(grammar);
  for (const RuleId id : rules) {
    const Rule& rule = grammar.rule(id);
    if (rule.lookahead) builder.set_lookahead(id, builder.copy(grammar, *rule.lookahead, rules));
    if (!can_bound(grammar, rule)) {
      builder.set_body(id, builder.copy(grammar, rule.body, rules));
      continue;
    }
    const Expr& body = grammar.expr(rule.body);
    const ExprId child = builder.copy(grammar, grammar.children(rule.body)[0], rules);
    const uint32_t max = std::min(body.max, *rule.options->max_chars);
    builder.set_body(id, builder.repeat(child, body.min, max, body.span));
    RuleOptions options = *rule.options;
    options.max_chars.reset();
    builder.set_options(id, std::make_shared<const RuleOptions>(options));
  }
  return std::move(builder).build(grammar.root());
}

}  // namespace xg2lab::passes
