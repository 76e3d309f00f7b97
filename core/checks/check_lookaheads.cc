// The verdict on each assertion, and its message. Read: check_lookaheads, LookaheadCheck::find,
// then the messages.
#include "checks/check_lookaheads.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "analysis/derive.h"
#include "checks/assertion.h"
#include "checks/follow_walk.h"
#include "grammar/rewrite.h"
#include "support/literal.h"
#include "support/text.h"

namespace xg2lab::checks {
namespace {

constexpr size_t kMaxSteps = 100'000;         // for one assertion
constexpr size_t kMaxStepsOfAll = 1'000'000;  // for all assertions of a grammar
constexpr size_t kShownUses = 3;
constexpr size_t kShownBytes = 60;

class LookaheadCheck {
 public:
  explicit LookaheadCheck(const Grammar& grammar)
      : grammar_(grammar),
        graph_(grammar),
        continuations_(grammar),
        groups_(grammar, graph_, continuations_),
        uses_(grammar, graph_, continuations_) {}

  // The diagnostic about a rule's assertion; nothing if the assertion is kept.
  std::optional<Diagnostic> find(RuleId rule) {
    const bool is_used = rule == grammar_.root() || !uses_.of[rule.index()].empty();
    if (!is_used) return std::nullopt;
    StepBudget budget{std::min(kMaxSteps, n_left_)};
    const size_t n_before = budget.n_left;
    auto found = compare(rule, budget);
    n_left_ -= n_before - budget.n_left;
    return found;
  }

 private:
  std::optional<Diagnostic> compare(RuleId rule, StepBudget& budget) {
    const ExprId expr = *grammar_.rule(rule).lookahead;
    Assertion assertion(grammar_, groups_, continuations_, budget, expr, Recursion::kMore);
    const AssertionState start = assertion.start();
    if (budget.is_spent) return too_many_steps(rule);
    const auto nested = nested_rule(expr);
    // With nested rules the machine may accept a superset, possibly with the empty string.
    if (start == kKept && (!nested || analysis::find_nullable(grammar_).exprs[expr.index()])) {
      return promises_nothing(rule);
    }
    if (start == kBroken) return never_matches(rule);
    FollowWalk walk(grammar_, uses_, continuations_, assertion, budget);
    if (const auto found = walk.find_break(rule)) {
      return not_kept(rule, *found, others(rule, *found, walk));
    }
    if (budget.is_spent) return too_many_steps(rule);
    if (!nested) return std::nullopt;
    Assertion letters(grammar_, groups_, continuations_, budget, expr, Recursion::kLetters);
    FollowWalk by_letters(grammar_, uses_, continuations_, letters, budget);
    const bool is_kept = letters.start() == kKept || !by_letters.find_break(rule);
    if (budget.is_spent) return too_many_steps(rule);
    if (is_kept) return std::nullopt;
    return not_followed(rule, *nested);
  }

  // A needed rule that Recursion::kMore doesn't represent exactly.
  std::optional<RuleId> nested_rule(ExprId expr) const {
    const std::vector<bool> needed = needed_rules(grammar_, expr);
    for (size_t i = 0; i < grammar_.n_rules(); ++i) {
      if (needed[i] && groups_.is_recursive[i] && !groups_.is_linear[groups_.group[i]]) {
        return RuleId(i);
      }
    }
    return std::nullopt;
  }

  // Further uses that break the assertion, as far as the budget permits.
  std::vector<Use> others(RuleId rule, const Break& first, FollowWalk& walk) const {
    std::vector<Use> broken;
    for (const Use& use : uses_.of[rule.index()]) {
      const bool is_first = !first.uses.empty() && use.reference == first.uses.front().reference;
      if (!is_first && walk.find_break(use)) broken.push_back(use);
    }
    return broken;
  }

  // ---- Messages ----

  std::string name(RuleId rule) const { return "`" + grammar_.rule(rule).name + "`"; }

  // " at 3:9", or nothing for a node without a span.
  std::string place(const Use& use) const {
    const SourceSpan span = grammar_.expr(use.reference).span;
    if (span.empty()) return "";
    const SourcePosition position = grammar_.source()->position(span.begin);
    return concat(" at ", position.line, ":", position.column);
  }

  std::string lookahead(RuleId rule) const {
    const std::string printed = print_ebnf(grammar_, *grammar_.rule(rule).lookahead);
    const std::string shown = printed.size() <= kShownBytes ? " (= " + printed + ")" : "";
    return "the lookahead" + shown + " of " + name(rule);
  }

  Diagnostic finding(RuleId rule, std::string code, Severity severity) const {
    return {std::move(code), severity, lookahead(rule),
            grammar_.expr(*grammar_.rule(rule).lookahead).span, ""};
  }

  // "after `a` at 3:9, the end of `b` at 5:1, ": the use, then the callers that end with it.
  std::string after(RuleId rule, const std::vector<Use>& uses) const {
    std::string text = "after " + name(rule);
    for (size_t i = 0; i < uses.size(); ++i) {
      if (i > 0) text += ", the end of " + name(uses[i].callee);
      text += place(uses[i]);
      if (uses.size() > kShownUses && i == 0) {
        text += ", …";
        i = uses.size() - kShownUses;
      }
    }
    return text + ", ";
  }

  Diagnostic not_kept(RuleId rule, const Break& found, const std::vector<Use>& more) const {
    Diagnostic result = finding(rule, "lookahead_not_kept", Severity::kWarning);
    const std::string text = found.text.empty() ? "" : print_literal(found.text);
    result.message += " is not kept: " + after(rule, found.uses);
    if (!found.is_end) {
      result.message += text + " may follow";
    } else {
      result.message += "the output may end" + (text.empty() ? "" : " after " + text);
    }
    for (size_t i = 0; i < more.size() && i < kShownUses; ++i) {
      result.message += i == 0 ? "; nor is it after the use" : ", nor";
      result.message += place(more[i]);
    }
    if (more.size() > kShownUses) {
      result.message += concat(" and ", more.size() - kShownUses, " more");
    }
    result.hint = "a lookahead restricts nothing: to require it, write it after each use of " +
                  name(rule) + "; or widen it, or remove it";
    return result;
  }

  Diagnostic never_matches(RuleId rule) const {
    Diagnostic result = finding(rule, "lookahead_not_kept", Severity::kWarning);
    result.message += " is not kept: it matches nothing, so no text begins with it";
    result.hint = "write what follows " + name(rule) + ", or remove the lookahead";
    return result;
  }

  Diagnostic promises_nothing(RuleId rule) const {
    Diagnostic result = finding(rule, "lookahead_promises_nothing", Severity::kHint);
    result.message += " promises nothing: it may match the empty string, and then anything follows";
    result.hint = "leave out what may be empty, or remove the lookahead";
    return result;
  }

  Diagnostic not_checked(RuleId rule, const std::string& reason, const std::string& remedy) const {
    Diagnostic result = finding(rule, "lookahead_not_checked", Severity::kHint);
    result.message += " was not checked: " + reason;
    result.hint = remedy + "; masks are exact without it";
    return result;
  }

  Diagnostic not_followed(RuleId rule, RuleId nested) const {
    return not_checked(rule,
                       "it needs " + name(nested) +
                           ", which refers to itself in the middle, and no contradiction was found",
                       "promise only how " + name(nested) + " begins");
  }

  Diagnostic too_many_steps(RuleId rule) const {
    return not_checked(rule,
                       concat("comparing it with what follows takes more steps than are allowed (",
                              kMaxSteps, " for one lookahead, ", kMaxStepsOfAll, " for all)"),
                       "promise less: a shorter lookahead is decided sooner");
  }

  const Grammar& grammar_;
  analysis::RuleGraph graph_;
  Continuations continuations_;
  RecursionGroups groups_;
  UseTable uses_;
  size_t n_left_ = kMaxStepsOfAll;
};

}  // namespace

Grammar check_lookaheads(Grammar grammar) {
  std::vector<RuleId> promising;
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    if (grammar.rule(RuleId(i)).lookahead) promising.emplace_back(i);
  }
  if (promising.empty() || has_token_names(grammar)) return grammar;
  std::vector<Diagnostic> found;
  LookaheadCheck check(grammar);
  for (RuleId rule : promising) {
    if (auto diagnostic = check.find(rule)) found.push_back(std::move(*diagnostic));
  }
  return with_warnings(std::move(grammar), std::move(found));
}

}  // namespace xg2lab::checks
