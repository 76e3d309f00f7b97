// One query for each member.
#include "checks/check_members.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/derive.h"
#include "grammar/rewrite.h"

namespace xg2lab::checks {
namespace {

// A quick test whether every match has at least one byte; false if undecided.
bool needs_byte(const Grammar& grammar, ExprId id) {
  const ExprKind kind = grammar.expr(id).kind;
  if (kind == ExprKind::kLiteral || kind == ExprKind::kClass) return true;
  return kind == ExprKind::kSequence && std::ranges::any_of(grammar.children(id), [&](ExprId part) {
           const ExprKind of_part = grammar.expr(part).kind;
           return of_part == ExprKind::kLiteral || of_part == ExprKind::kClass;
         });
}

}  // namespace

Grammar check_members(Grammar grammar) {
  std::vector<Diagnostic> errors;
  std::vector<bool> used;
  std::vector<bool> nullable;
  for (size_t i = 0; i < grammar.n_exprs(); ++i) {
    if (grammar.expr(ExprId(i)).kind != ExprKind::kAnyOrder) continue;
    if (used.empty()) used = used_exprs(grammar);
    if (!used[i]) continue;
    const auto children = grammar.children(ExprId(i));
    for (const ExprId member : children.first(children.size() - 1)) {
      const RuleId rule = grammar.rule_ref(member);
      if (needs_byte(grammar, grammar.rule(rule).body)) continue;
      if (nullable.empty()) nullable = analysis::nullable_rules(grammar);
      if (!nullable[rule.index()]) continue;
      const std::string& name = grammar.rule(rule).name;
      errors.push_back({"nullable_member", Severity::kError,
                        "member `" + name +
                            "` may match the empty text, so it is not known how "
                            "often it has been matched",
                        grammar.expr(member).span,
                        "let `" + name + "` match at least one byte, and write " + name +
                            "? if it may be missing"});
    }
  }
  if (!errors.empty()) throw Error(ErrorKind::kGrammarError, std::move(errors), *grammar.source());
  return grammar;
}

}  // namespace xg2lab::checks
