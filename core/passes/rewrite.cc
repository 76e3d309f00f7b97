// The walk, and the two ways of building the next grammar.
// Read: used_exprs (a walk from the roots down, by falling ids), then rewrite (up, by rising ids).
#include "passes/rewrite.h"

#include <set>
#include <string>
#include <utility>

namespace xg2lab::passes {

namespace {

std::vector<bool> exprs_of(const Grammar& grammar, const std::vector<bool>* kept) {
  std::vector<bool> used(grammar.n_exprs());
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    if (kept != nullptr && !(*kept)[i]) continue;
    const Rule& rule = grammar.rule(RuleId(i));
    used[rule.body.index()] = true;
    if (rule.lookahead) used[rule.lookahead->index()] = true;
  }
  for (size_t i = grammar.n_exprs(); i-- > 0;) {
    if (!used[i]) continue;
    for (ExprId child : grammar.children(ExprId(i))) used[child.index()] = true;
  }
  return used;
}

// What becomes of each used expression; index: ExprId. Shared nodes stay shared.
std::vector<ExprId> remade_exprs(const Grammar& grammar, const std::vector<bool>& used,
                                 GrammarBuilder& builder, const Remake& remake) {
  std::vector<ExprId> remade(grammar.n_exprs());
  std::vector<ExprId> children;
  for (size_t i = 0; i < grammar.n_exprs(); ++i) {
    if (!used[i]) continue;
    children.clear();
    for (ExprId child : grammar.children(ExprId(i))) children.push_back(remade[child.index()]);
    remade[i] = remake(builder, ExprId(i), children);
  }
  return remade;
}

}  // namespace

std::vector<bool> used_exprs(const Grammar& grammar) { return exprs_of(grammar, nullptr); }

std::vector<RuleId> same_rules(const Grammar& grammar) {
  std::vector<RuleId> rules;
  rules.reserve(grammar.n_rules());
  for (size_t i = 0; i < grammar.n_rules(); ++i) rules.emplace_back(i);
  return rules;
}

Grammar rewrite(const Grammar& grammar, const Remake& remake) {
  GrammarBuilder builder = GrammarBuilder::like(grammar);
  const auto remade = remade_exprs(grammar, used_exprs(grammar), builder, remake);
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    const Rule& rule = grammar.rule(RuleId(i));
    builder.set_body(RuleId(i), remade[rule.body.index()]);
    if (rule.lookahead) builder.set_lookahead(RuleId(i), remade[rule.lookahead->index()]);
  }
  return std::move(builder).build(grammar.root());
}

Grammar keep_rules(const Grammar& grammar, const std::vector<bool>& kept) {
  GrammarBuilder builder;
  builder.set_source(grammar.source());
  for (const Diagnostic& diagnostic : grammar.diagnostics()) builder.add_diagnostic(diagnostic);
  std::vector<RuleId> rules(grammar.n_rules());
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    const Rule& rule = grammar.rule(RuleId(i));
    if (kept[i]) rules[i] = builder.add_rule(rule.name, rule.name_span);
  }
  const auto remade =
      remade_exprs(grammar, exprs_of(grammar, &kept), builder,
                   [&](GrammarBuilder& to, ExprId old, std::span<const ExprId> children) {
                     return to.copy_node(grammar, old, children, rules);
                   });
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    if (!kept[i]) continue;
    const Rule& rule = grammar.rule(RuleId(i));
    builder.set_body(rules[i], remade[rule.body.index()], rule.span);
    builder.set_options(rules[i], rule.options);
    if (rule.lookahead) builder.set_lookahead(rules[i], remade[rule.lookahead->index()]);
  }
  return std::move(builder).build(rules[grammar.root().index()]);
}

Grammar with_warnings(Grammar grammar, std::vector<Diagnostic> warnings) {
  if (warnings.empty()) return grammar;
  std::vector<Diagnostic> all = grammar.diagnostics();
  std::set<std::pair<std::string, SourceSpan>> known;
  for (const Diagnostic& old : all) known.emplace(old.code, old.span);
  for (Diagnostic& warning : warnings) {
    if (known.emplace(warning.code, warning.span).second) all.push_back(std::move(warning));
  }
  return with_diagnostics(std::move(grammar), std::move(all));
}

}  // namespace xg2lab::passes
