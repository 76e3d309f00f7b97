// Read: prepared, a part of the pipeline of passes/pipeline.cc in the same order.
#include "operators/prepare.h"

#include <algorithm>
#include <utility>

#include "analysis/rule_graph.h"
#include "passes/bound_characters.h"
#include "passes/check_productive.h"
#include "passes/drop_unreachable.h"
#include "passes/normalize.h"
#include "passes/right_recursion_to_repeat.h"

namespace xg2lab::operators {
namespace {

bool is_any_rule_recursive(const Grammar& grammar) {
  const std::vector<bool> is_recursive = analysis::RuleGraph(grammar).is_recursive;
  return std::ranges::find(is_recursive, true) != is_recursive.end();
}

bool has_max_chars(const Grammar& grammar) {
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    const RuleOptions* options = grammar.rule(RuleId(i)).options.get();
    if (options != nullptr && options->max_chars) return true;
  }
  return false;
}

}  // namespace

Grammar prepared(Grammar grammar) {
  using namespace passes;
  grammar = drop_unreachable(check_productive(std::move(grammar)), UnusedRules::kSilent);
  const bool is_recursive = is_any_rule_recursive(grammar);
  const bool is_bounded = has_max_chars(grammar);
  if (!is_recursive && !is_bounded) return grammar;
  grammar = normalize(std::move(grammar));  // both passes need flat alternatives
  if (is_recursive) grammar = right_recursion_to_repeat(std::move(grammar));
  if (is_bounded) grammar = bound_characters(std::move(grammar));
  return grammar;
}

}  // namespace xg2lab::operators
