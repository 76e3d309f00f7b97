// The walk, and the two ways of building the next grammar.
// Read: used_exprs (a walk from the roots down, by falling ids), then rewrite (up, by rising ids).
#include "passes/rewrite.h"

#include <set>
#include <string>
#include <utility>

namespace xg2lab::passes {

std::vector<bool> used_exprs(const Grammar& grammar) {
  std::vector<bool> used(grammar.n_exprs());
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
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

std::vector<RuleId> same_rules(const Grammar& grammar) {
  std::vector<RuleId> rules;
  rules.reserve(grammar.n_rules());
  for (size_t i = 0; i < grammar.n_rules(); ++i) rules.emplace_back(i);
  return rules;
}

Grammar rewrite(const Grammar& grammar, const Remake& remake) {
  GrammarBuilder builder = GrammarBuilder::like(grammar);
  const std::vector<bool> used = used_exprs(grammar);
  std::vector<ExprId> remade(grammar.n_exprs());
  std::vector<ExprId> children;
  for (size_t i = 0; i < grammar.n_exprs(); ++i) {
    if (!used[i]) continue;
    children.clear();
    for (ExprId child : grammar.children(ExprId(i))) children.push_back(remade[child.index()]);
    remade[i] = remake(builder, ExprId(i), children);
  }
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
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    if (!kept[i]) continue;
    const Rule& rule = grammar.rule(RuleId(i));
    builder.set_body(rules[i], builder.copy(grammar, rule.body, rules), rule.span);
    builder.set_options(rules[i], rule.options);
    if (rule.lookahead) {
      builder.set_lookahead(rules[i], builder.copy(grammar, *rule.lookahead, rules));
    }
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
