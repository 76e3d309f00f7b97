// Reachability from the root (rule_graph.h), and a warning for each rule that is not reached.
#include "passes/drop_unreachable.h"

#include <algorithm>
#include <utility>

#include "analysis/rule_graph.h"
#include "grammar/rewrite.h"

namespace xg2lab::passes {

Grammar drop_unreachable(Grammar grammar, UnusedRules unused) {
  const std::vector<bool> reached = analysis::reachable_rules(grammar);
  if (std::all_of(reached.begin(), reached.end(), [](bool is_reached) { return is_reached; })) {
    return grammar;
  }
  std::vector<Diagnostic> warnings;
  for (size_t i = 0; i < grammar.n_rules() && unused == UnusedRules::kWarn; ++i) {
    if (reached[i]) continue;
    const Rule& rule = grammar.rule(RuleId(i));
    warnings.push_back({"unused_rule", Severity::kWarning,
                        "rule `" + rule.name + "` is not used: `" +
                            grammar.rule(grammar.root()).name + "` never needs it",
                        rule.name_span, "remove it, or refer to it"});
  }
  return with_warnings(with_rules(std::move(grammar), reached), std::move(warnings));
}

}  // namespace xg2lab::passes
