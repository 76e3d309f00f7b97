// The pipeline as a table of contents. Each line says what changes; a comment gives the reason for
// its position.
#include "passes/pipeline.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "checks/check_dispatches.h"
#include "checks/check_lookaheads.h"
#include "checks/check_members.h"
#include "checks/check_options.h"
#include "passes/bound_characters.h"
#include "passes/check_productive.h"
#include "passes/drop_unreachable.h"
#include "passes/fuse_literals.h"
#include "passes/machines_to_rules.h"
#include "passes/normalize.h"
#include "passes/right_recursion_to_repeat.h"
#include "passes/split_optional_runs.h"
#include "support/budget.h"

namespace xg2lab {
namespace {

bool has_options(const Grammar& grammar) {
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    if (grammar.rule(RuleId(i)).options) return true;
  }
  return false;
}

}  // namespace

Grammar run_passes(Grammar grammar, const PassOptions& options, const PassTrace* trace) {
  using namespace passes;
  const auto step = [&](std::string_view name, Grammar result) {
    if (trace != nullptr && *trace) (*trace)(name, result);
    check_budget("running pass", name);
    grammar = std::move(result);
  };
  const auto take = [&] { return std::move(grammar); };

  // Before check_productive, which may turn tags into excludes: warnings are about the grammar as
  // written.
  step("check_dispatches", checks::check_dispatches(take()));
  // Before all other passes, which rely on every part being productive.
  step("check_productive", check_productive(take()));
  // After check_productive: a rule may have been used only by parts that were removed.
  step("drop_unreachable", drop_unreachable(take(), UnusedRules::kWarn));
  // After both passes: members that were removed need not match a byte.
  if (has_kind(grammar, ExprKind::kAnyOrder)) step("check_members", checks::check_members(take()));
  // After both passes: only productive, reachable parts may follow a rule.
  step("check_lookaheads", checks::check_lookaheads(take()));
  // After both passes: the languages of rules are final, and unused rules are gone.
  if (has_options(grammar)) step("check_options", checks::check_options(take()));
  // Before inlining, which doesn't touch the rules of dispatches.
  step("machines_to_rules", machines_to_rules(take()));
  // The passes below expect flat sequences and choices.
  step("normalize", normalize(take()));
  // Before inlining: a rule that was only right-recursive can be inlined afterwards.
  if (options.right_recursion_to_repeat) {
    step("right_recursion_to_repeat", right_recursion_to_repeat(take()));
  }
  // Before inlining: a rule whose only option was max_chars can be inlined afterwards.
  if (has_options(grammar)) step("bound_characters", bound_characters(take()));
  if (options.inlining) {
    step("inline_fragments", inline_fragments(take(), options.inline_budgets));
  }
  // Again: inlining and the new repetitions have nested sequences in sequences and choices in
  // choices.
  step("normalize", normalize(take()));
  // After inlining, which makes literals neighbours.
  if (options.fuse_literals) step("fuse_literals", fuse_literals(take()));
  // Last: the rules that it makes would be inlined.
  if (has_long_sequence(grammar)) step("split_optional_runs", split_optional_runs(take()));
  return grammar;
}

Grammar check_grammar(Grammar grammar) {
  using namespace passes;
  const Grammar checked = checks::check_options(checks::check_lookaheads(checks::check_members(
      drop_unreachable(check_productive(checks::check_dispatches(grammar)), UnusedRules::kWarn))));
  std::vector<Diagnostic> diagnostics = checked.diagnostics();
  std::stable_sort(
      diagnostics.begin(), diagnostics.end(),
      [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
  return with_diagnostics(std::move(grammar), std::move(diagnostics));
}

}  // namespace xg2lab
