// One query for each rule.
#include "checks/check_options.h"

#include <utility>
#include <vector>

#include "analysis/derive.h"
#include "grammar/rewrite.h"

namespace xg2lab::checks {

Grammar check_options(Grammar grammar) {
  std::vector<Diagnostic> warnings;
  std::vector<bool> nullable;
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    const Rule& rule = grammar.rule(RuleId(i));
    if (!rule.options || !rule.options->is_lazy) continue;
    if (nullable.empty()) nullable = analysis::nullable_rules(grammar);
    if (!nullable[i]) continue;
    warnings.push_back(
        {"lazy_matches_empty", Severity::kWarning,
         "rule `" + rule.name + "` is lazy and can match the empty text, so it always does",
         rule.options->span(OptionKind::kLazy),
         "let it need something, for example + in place of *"});
  }
  return with_warnings(std::move(grammar), std::move(warnings));
}

}  // namespace xg2lab::checks
