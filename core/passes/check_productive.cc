// Removes unproductive parts and explains why a rule can't match. Read: check_productive, then
// without_unproductive, then Reasons. The trick: a rule is unproductive because of the first
// unproductive rule that its body needs, which has such a reason in turn; the chain of reasons ends
// in the cycle to be named, or at a part that matches nothing.
#include "passes/check_productive.h"

#include <algorithm>
#include <utility>

#include "analysis/derive.h"
#include "analysis/rule_graph.h"
#include "grammar/rewrite.h"

namespace xg2lab::passes {
namespace {

constexpr size_t kExplainedRules = 50;  // an explanation may follow a path through all rules

// Why an unproductive rule can't match.
class Reasons {
 public:
  Reasons(const Grammar& grammar, const analysis::Facts& productive)
      : grammar_(grammar), productive_(productive) {}

  Diagnostic describe(RuleId rule, Severity severity) const {
    const std::vector<Step> steps = path_from(rule);
    const std::string name = "`" + grammar_.rule(rule).name + "`";
    Diagnostic found{"never_matches", severity, "", grammar_.rule(rule).name_span, ""};
    if (steps.empty() && ends_in_dispatch(grammar_.rule(rule).body)) {
      found.message = "rule " + name +
                      " never ends: its TagDispatch has no stop string that can be read, and "
                      "stop_eos is false";
      found.hint = "write stop_eos=true, or stop_str=(\"...\")";
      return found;
    }
    if (steps.empty() && !is_class(grammar_.rule(rule).body)) {
      found.message = "rule " + name + " matches nothing: no text has this form";
      found.hint =
          "look for parts that contradict each other; (?<=...) and \\b find nothing before the "
          "first "
          "character, and (?=...) nothing after the last";
      return found;
    }
    if (steps.empty()) {
      found.message = "rule " + name + " matches nothing: it needs a class without characters";
      found.hint = "put characters into [], or remove it; any character is [^]";
      return found;
    }
    const RuleId last = steps.back().to;
    const std::string last_name = "`" + grammar_.rule(last).name + "`";
    const auto in_cycle = cycle_of(rule, steps);
    if (in_cycle.empty()) {
      found.message = "rule " + name + " matches nothing, because it needs " + last_name +
                      ", which matches nothing (" + path_text(rule, steps) + ")";
      found.hint = "give " + last_name + " something to match";
      return found;
    }
    const bool consumes = std::any_of(in_cycle.begin(), in_cycle.end(),
                                      [](const Step& step) { return step.consumes_before; });
    found.message = "rule " + name + (consumes ? " never ends" : " never matches") +
                    ": every way through it needs " + (last == rule ? "itself" : last_name) +
                    " again (" + path_text(rule, steps) + ")";
    found.hint =
        "add an alternative that ends without it, for example: " + grammar_.rule(last).name +
        " ::= ... | \"\"";
    return found;
  }

 private:
  // The step from a rule to the unproductive rule that it needs.
  struct Step {
    RuleId to;
    bool consumes_before;  // a nonempty part precedes the reference
  };

  // The path ends at the first repeated rule, or at a rule that needs no unproductive rule.
  std::vector<Step> path_from(RuleId rule) const {
    std::vector<Step> steps;
    std::vector<bool> seen(grammar_.n_rules());
    seen[rule.index()] = true;
    while (const auto step = step_from(grammar_.rule(rule).body)) {
      steps.push_back(*step);
      rule = step->to;
      if (seen[rule.index()]) break;
      seen[rule.index()] = true;
    }
    return steps;
  }

  // The steps of the cycle at the end of the path; empty if the path doesn't end in a cycle.
  static std::span<const Step> cycle_of(RuleId start, const std::vector<Step>& steps) {
    const RuleId last = steps.back().to;
    if (last == start) return steps;
    const auto first = std::find_if(steps.begin(), steps.end() - 1,
                                    [last](const Step& step) { return step.to == last; });
    if (first == steps.end() - 1) return {};
    return std::span<const Step>(steps).subspan(static_cast<size_t>(first - steps.begin()) + 1);
  }

  // `a` → `b` → `a`; the middle of a long path is left out.
  std::string path_text(RuleId start, const std::vector<Step>& steps) const {
    constexpr size_t kShownSteps = 8;
    std::string text = "`" + grammar_.rule(start).name + "`";
    for (size_t i = 0; i < steps.size(); ++i) {
      if (steps.size() > kShownSteps && i == kShownSteps / 2) {
        text += " → …";
        i = steps.size() - kShownSteps / 2;
      }
      text += " → `" + grammar_.rule(steps[i].to).name + "`";
    }
    return text;
  }

  // The innermost part that keeps the expression from matching.
  const Expr& culprit_in(ExprId id) const {
    while (true) {
      const auto children = grammar_.children(id);
      const auto culprit = std::find_if(children.begin(), children.end(), [this](ExprId child) {
        return !productive_.exprs[child.index()];
      });
      if (culprit == children.end()) return grammar_.expr(id);
      id = *culprit;
    }
  }
  bool ends_in_dispatch(ExprId id) const { return culprit_in(id).kind == ExprKind::kDispatch; }
  // Whether the culprit is written in brackets, unlike a pattern that matches nothing.
  bool is_class(ExprId id) const {
    const SourceSpan span = culprit_in(id).span;
    return span.empty() || grammar_.source()->slice(span).starts_with('[');
  }

  // Finds the first reference that keeps the expression from matching.
  std::optional<Step> step_from(ExprId id) const {
    bool consumes = false;
    while (grammar_.expr(id).kind != ExprKind::kRuleRef) {
      const auto children = grammar_.children(id);
      const auto culprit = std::find_if(children.begin(), children.end(), [this](ExprId child) {
        return !productive_.exprs[child.index()];
      });
      if (culprit == children.end()) return std::nullopt;  // kNothing
      const bool is_sequence = grammar_.expr(id).kind == ExprKind::kSequence;
      if (is_sequence && culprit != children.begin()) consumes = true;
      id = *culprit;
    }
    return Step{grammar_.rule_ref(id), consumes};
  }

  const Grammar& grammar_;
  const analysis::Facts& productive_;
};

// The dispatch with only those tags that open productive rules. A tag whose rule never matches
// can't occur in a complete text, so it becomes an exclude.
ExprId without_unproductive_tags(GrammarBuilder& builder, const Grammar& grammar, ExprId id,
                                 const analysis::Facts& productive,
                                 std::span<const ExprId> children,
                                 std::vector<Diagnostic>& warnings) {
  const Dispatch& old = grammar.dispatch(id);
  const auto references = grammar.children(id);
  Dispatch kept{{}, old.stop_texts, old.excludes, old.stop_eos, old.loop_after_dispatch};
  std::vector<ExprId> kept_references;
  for (size_t i = 0; i < references.size(); ++i) {
    if (productive.exprs[references[i].index()]) {
      kept.tags.push_back(old.tags[i]);
      kept_references.push_back(children[i]);
      continue;
    }
    kept.excludes.push_back(old.tags[i]);
    warnings.push_back({"never_matches", Severity::kWarning,
                        "tag `" + old.tags[i].text + "` opens a rule that never matches, so it " +
                            "must not occur",
                        old.tags[i].span, "remove it, or give its rule a way to end"});
  }
  return builder.dispatch(std::move(kept), kept_references, grammar.expr(id).span);
}

// The any-order expression without members that never match. If its separator never matches, at
// most one member may be matched.
ExprId without_unproductive_members(GrammarBuilder& builder, const Grammar& grammar, ExprId id,
                                    const analysis::Facts& productive,
                                    std::span<const RuleId> rules,
                                    std::vector<Diagnostic>& warnings) {
  const AnyOrderBounds& old = grammar.any_order(id);
  const auto references = grammar.children(id);
  AnyOrderBounds kept{{}, old.min_total, old.max_total, old.is_ordered};
  std::vector<ExprId> children;
  for (size_t i = 0; i < old.members.size(); ++i) {
    const ExprId reference = references[i];
    if (productive.exprs[reference.index()]) {
      kept.members.push_back(old.members[i]);
      children.push_back(builder.rule_ref(rules[grammar.rule_ref(reference).index()],
                                          grammar.expr(reference).span));
      continue;
    }
    warnings.push_back({"never_matches", Severity::kWarning,
                        "this member never matches and is left out", grammar.expr(reference).span,
                        "remove it, or give what it needs a way to end"});
  }
  const SourceSpan span = grammar.expr(references.back()).span;
  if (productive.exprs[references.back().index()]) {
    children.push_back(builder.copy_node(grammar, references.back(), {}, rules));
  } else {
    warnings.push_back({"never_matches", Severity::kWarning,
                        "this separator never matches, so there is at most one member", span,
                        "give it something to match"});
    kept.max_total = std::min(kept.max_total, 1u);
    children.push_back(builder.empty(span));
  }
  return builder.any_order(std::move(kept), children, grammar.expr(id).span);
}

// Choices lose their unproductive children; a repetition of an unproductive part is matched zero
// times.
Grammar without_unproductive(const Grammar& grammar, const analysis::Facts& productive) {
  const auto rules = same_rules(grammar);
  std::vector<Diagnostic> warnings;
  const auto warn = [&](ExprId dropped) {
    if (grammar.expr(dropped).kind == ExprKind::kNothing) return;  // the author wrote []
    warnings.push_back({"never_matches", Severity::kWarning,
                        "this part never matches and is left out", grammar.expr(dropped).span,
                        "remove it, or give what it needs a way to end"});
  };
  std::vector<ExprId> kept;
  const auto remake = [&](GrammarBuilder& builder, ExprId id, std::span<const ExprId> children) {
    const Expr& e = grammar.expr(id);
    const auto old_children = grammar.children(id);
    if (!productive.exprs[id.index()]) return builder.nothing(e.span);
    if (e.kind == ExprKind::kRepeat && !productive.exprs[old_children.front().index()]) {
      warn(old_children.front());
      return builder.empty(e.span);
    }
    if (e.kind == ExprKind::kDispatch) {
      return without_unproductive_tags(builder, grammar, id, productive, children, warnings);
    }
    if (e.kind == ExprKind::kAnyOrder)
      return without_unproductive_members(builder, grammar, id, productive, rules, warnings);
    if (e.kind != ExprKind::kChoice) return builder.copy_node(grammar, id, children, rules);
    kept.clear();
    for (size_t i = 0; i < children.size(); ++i) {
      if (productive.exprs[old_children[i].index()]) kept.push_back(children[i]);
      else warn(old_children[i]);
    }
    return builder.choice(kept, e.span);
  };
  Grammar pruned = rewrite(grammar, remake);

  const Reasons reasons(grammar, productive);
  std::vector<Diagnostic> all;
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    if (productive.rules[i]) continue;
    const Rule& rule = grammar.rule(RuleId(i));
    all.push_back(all.size() < kExplainedRules
                      ? reasons.describe(RuleId(i), Severity::kWarning)
                      : Diagnostic{"never_matches", Severity::kWarning,
                                   "rule `" + rule.name + "` never matches", rule.name_span, ""});
  }
  all.insert(all.end(), warnings.begin(), warnings.end());
  return with_warnings(with_rules(std::move(pruned), productive.rules), std::move(all));
}

// Whether every part of a rule is productive.
bool is_whole(const Grammar& grammar, const analysis::Facts& productive) {
  const auto& exprs = productive.exprs;
  if (std::find(exprs.begin(), exprs.end(), false) == exprs.end()) return true;
  const std::vector<bool> used = used_exprs(grammar);
  for (size_t i = 0; i < grammar.n_exprs(); ++i) {
    if (used[i] && !exprs[i]) return false;
  }
  return true;
}

}  // namespace

Grammar check_productive(Grammar grammar) {
  const analysis::Facts productive = analysis::find_productive(grammar);
  if (!productive.rules[grammar.root().index()]) {
    const Reasons reasons(grammar, productive);
    throw Error(ErrorKind::kGrammarError, {reasons.describe(grammar.root(), Severity::kError)},
                *grammar.source());
  }
  if (is_whole(grammar, productive)) return grammar;
  return without_unproductive(grammar, productive);
}

}  // namespace xg2lab::passes
