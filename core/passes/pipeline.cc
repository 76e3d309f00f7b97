// A table of contents. Each line says what changes; a comment says why it stands where it does.
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
    check_budget(name);
    grammar = std::move(result);
  };
  const auto take = [&] { return std::move(grammar); };

  // Before check_productive, which may turn tags into excludes: warnings are about what was written.
  step("check_dispatches", checks::check_dispatches(take()));
  // First, as all that follows may rely on it: every part that is left can match something.
  step("check_productive", check_productive(take()));
  // After check_productive: a rule may have been used only by parts that are gone.
  step("drop_unreachable", drop_unreachable(take(), UnusedRules::kWarn));
  // After both: what is left out need not match anything.
  if (has_kind(grammar, ExprKind::kAnyOrder)) step("check_members", checks::check_members(take()));
  // After both: only what can match, and is used, may follow a rule.
  step("check_lookaheads", checks::check_lookaheads(take()));
  // What rules could match is known now; what is not used is gone.
  if (has_options(grammar)) step("check_options", checks::check_options(take()));
  // Before inlining, which leaves rules of dispatches alone.
  step("machines_to_rules", machines_to_rules(take()));
  // Flat sequences and choices, which the passes below look at.
  step("normalize", normalize(take()));
  // Before inlining: a rule that was recursive only at its end can be inlined afterwards.
  if (options.right_recursion_to_repeat) {
    step("right_recursion_to_repeat", right_recursion_to_repeat(take()));
  }
  // Before inlining, too: a rule that has no other option can be inlined afterwards.
  if (has_options(grammar)) step("bound_characters", bound_characters(take()));
  if (options.inlining) {
    step("inline_fragments", inline_fragments(take(), options.inline_budgets));
  }
  // Again: inlining and repetition have put sequences into sequences, choices into choices.
  step("normalize", normalize(take()));
  // After inlining, which brings literals side by side.
  if (options.fuse_literals) step("fuse_literals", fuse_literals(take()));
  // Last: what it takes apart would be inlined.
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
