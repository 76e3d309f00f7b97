// used_exprs walks from the roots down, in descending order of ids.
#include "grammar/rewrite.h"

#include <set>
#include <string>
#include <utility>

namespace xg2lab {

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

}  // namespace xg2lab
