// Read: with_pieces, then Splitter::remade (one expression).
#include "templates/pieces.h"

#include <memory>
#include <span>
#include <utility>

#include "grammar/rewrite.h"
#include "support/text.h"
#include "templates/references.h"

namespace xg2lab::templates {
namespace {

// A shorter literal costs less as states of each instance than as a call.
constexpr size_t kLeastBytesOfPiece = 4;

class Splitter {
 public:
  explicit Splitter(const Template& of)
      : has_holes_(rules_with_holes(of, references_of_rules(of.grammar))) {}

  // The replacement of `old`: a sequence of known parts and others calls pieces for the known
  // parts.
  ExprId remade(GrammarBuilder& builder, ExprId old, std::span<const ExprId> children) {
    const Expr expr = builder.expr(old);
    bool is_known = true;
    if (expr.kind == ExprKind::kRuleRef)
      is_known = !has_holes_[builder.so_far().rule_ref(old).index()];
    size_t n_known = 0;
    for (ExprId child : children) n_known += is_known_[child.index()] ? 1 : 0;
    is_known = is_known && n_known == children.size();
    const bool is_mixed = expr.kind == ExprKind::kSequence && n_known > 0 && !is_known;
    const ExprId made =
        is_mixed ? split(builder, children, expr.span) : builder.with_children(old, children);
    is_known_.resize(builder.n_exprs(), false);
    is_known_[made.index()] = is_known;
    return made;
  }

 private:
  ExprId split(GrammarBuilder& builder, std::span<const ExprId> children, SourceSpan span) {
    std::vector<ExprId> parts;
    for (size_t i = 0; i < children.size();) {
      size_t end = i;
      while (end < children.size() && is_known_[children[end].index()]) ++end;
      if (end == i) parts.push_back(children[i++]);
      else add_run(builder, children.subspan(i, end - i), parts);
      i = end > i ? end : i;
    }
    return builder.sequence(parts, span);
  }

  void add_run(GrammarBuilder& builder, std::span<const ExprId> run, std::vector<ExprId>& parts) {
    size_t n_bytes = 0;
    bool is_text = true;
    for (ExprId part : run) {
      is_text = is_text && builder.expr(part).kind == ExprKind::kLiteral;
      if (is_text) n_bytes += builder.so_far().literal(part).size();
    }
    if (is_text && n_bytes < kLeastBytesOfPiece) {
      parts.insert(parts.end(), run.begin(), run.end());
      return;
    }
    const SourceSpan span{builder.expr(run.front()).span.begin, builder.expr(run.back()).span.end};
    const RuleId piece = builder.add_rule(concat("$", builder.n_rules()), span);
    builder.set_body(piece, builder.sequence(run, span), span);
    auto options = std::make_shared<RuleOptions>();
    options->is_linked = true;
    builder.set_options(piece, std::move(options));
    parts.push_back(builder.rule_ref(piece, span));
  }

  const std::vector<bool> has_holes_;  // index: RuleId
  std::vector<bool> is_known_;         // index: ExprId of the new grammar; leads to no hole
};

void mark_linked(GrammarBuilder& builder, RuleId rule) {
  const auto& known = builder.so_far().rule(rule).options;
  auto options = known ? std::make_shared<RuleOptions>(*known) : std::make_shared<RuleOptions>();
  options->is_linked = true;
  builder.set_options(rule, std::move(options));
}

// The grammar with placeholders as the bodies of holes; its first rules are those of `of`.
Grammar with_placeholder_bodies(Grammar grammar, const Template& of) {
  const RuleId root = grammar.root();
  GrammarBuilder builder(std::move(grammar));
  for (size_t i = 0; i < builder.n_rules(); ++i) builder.set_lookahead(RuleId(i), std::nullopt);
  for (size_t i = 0; i < of.holes.size(); ++i) {
    const Hole* hole = of.hole(RuleId(i));
    if (hole == nullptr) continue;
    std::vector<ExprId> bodies{builder.literal(std::string_view("\0", 1), hole->span)};
    for (RuleId rule : hole->rules) {
      mark_linked(builder, rule);
      bodies.push_back(builder.rule_ref(rule, hole->span));
    }
    builder.set_body(RuleId(i), builder.choice(bodies, hole->span), hole->span);
    mark_linked(builder, RuleId(i));
  }
  return with_diagnostics(std::move(builder).build(root), {});
}

}  // namespace

Grammar with_pieces(const Template& of) {
  Splitter splitter(of);
  return with_placeholder_bodies(
      rewrite(of.grammar,
              [&](GrammarBuilder& builder, ExprId old, std::span<const ExprId> children) {
                return splitter.remade(builder, old, children);
              }),
      of);
}

Grammar with_placeholders(const Template& of) { return with_placeholder_bodies(of.grammar, of); }

}  // namespace xg2lab::templates
