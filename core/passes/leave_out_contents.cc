#include "passes/leave_out_contents.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/derive.h"
#include "support/utf8.h"

namespace xg2lab::passes {
namespace {

// Finds the rules that a rule needs if absent contents need none.
class Reach {
 public:
  Reach(const Grammar& grammar, const std::vector<std::optional<uint32_t>>& absent)
      : grammar_(grammar), absent_(absent), is_reached_(grammar.n_rules()) {}

  std::vector<bool> from(RuleId root) && {
    reach(root);
    while (!agenda_.empty()) {
      const RuleId rule = agenda_.back();
      agenda_.pop_back();
      if (absent_[rule.index()]) continue;
      read(grammar_.rule(rule).body);
      if (const auto lookahead = grammar_.rule(rule).lookahead) read(*lookahead);
      const auto& options = grammar_.rule(rule).options;
      if (options && options->parts) reach(grammar_.find_rule(*options->parts).value());
    }
    return std::move(is_reached_);
  }

 private:
  void reach(RuleId rule) {
    if (is_reached_[rule.index()]) return;
    is_reached_[rule.index()] = true;
    agenda_.push_back(rule);
  }
  void read(ExprId body) {
    exprs_.push_back(body);
    while (!exprs_.empty()) {
      const ExprId expr = exprs_.back();
      exprs_.pop_back();
      if (grammar_.expr(expr).kind == ExprKind::kRuleRef) reach(grammar_.rule_ref(expr));
      const auto children = grammar_.children(expr);
      exprs_.insert(exprs_.end(), children.begin(), children.end());
    }
  }

  const Grammar& grammar_;
  const std::vector<std::optional<uint32_t>>& absent_;
  std::vector<bool> is_reached_;
  std::vector<RuleId> agenda_;
  std::vector<ExprId> exprs_;
};

}  // namespace

std::vector<Content> contents_that_may_be_absent(const Grammar& grammar) {
  const auto all = grammar.contents();
  std::vector<Content> contents(all.begin(), all.end());
  if (contents.empty()) return contents;
  const std::vector<bool> is_productive = analysis::find_productive(grammar).rules;
  const std::vector<bool> is_nullable = analysis::nullable_rules(grammar);
  std::erase_if(contents, [&](const Content& content) {
    return !is_productive[content.rule.index()] || is_nullable[content.rule.index()];
  });
  return contents;
}

Grammar leave_out_contents(const Grammar& whole, RuleId root, std::span<const Content> contents,
                           std::span<const uint32_t> present) {
  std::vector<std::optional<uint32_t>> absent(whole.n_rules());  // index: RuleId
  for (uint32_t i = 0; i < contents.size(); ++i) {
    if (!std::ranges::binary_search(present, i)) absent[contents[i].rule.index()] = i;
  }
  const std::vector<bool> is_reached = Reach(whole, absent).from(root);
  GrammarBuilder builder;
  builder.set_source(whole.source());
  std::vector<RuleId> rules(whole.n_rules());
  for (size_t i = 0; i < whole.n_rules(); ++i) {
    const Rule& rule = whole.rule(RuleId(i));
    if (is_reached[i]) rules[i] = builder.add_rule(rule.name, rule.name_span);
  }
  for (size_t i = 0; i < whole.n_rules(); ++i) {
    if (!is_reached[i]) continue;
    const Rule& rule = whole.rule(RuleId(i));
    if (absent[i]) {
      builder.set_body(rules[i], builder.char_class({{0, kMaxCodePoint}}, rule.span), rule.span);
      auto options = std::make_shared<RuleOptions>();
      options->absent_content = absent[i];
      builder.set_options(rules[i], std::move(options));
      continue;
    }
    builder.set_body(rules[i], builder.copy(whole, rule.body, rules), rule.span);
    if (rule.lookahead)
      builder.set_lookahead(rules[i], builder.copy(whole, *rule.lookahead, rules));
    builder.copy_options(rules[i], whole, rule, rules);
  }
  // A present content stays a rule. Written into each of its callers, the beginnings of all tags
  // would be there several times.
  for (const uint32_t i : present) {
    const RuleId rule = contents[i].rule;
    if (!is_reached[rule.index()] || whole.rule(rule).options) continue;
    auto options = std::make_shared<RuleOptions>();
    options->is_linked = true;
    builder.set_options(rules[rule.index()], std::move(options));
  }
  return std::move(builder).build(rules[root.index()]);
}

}  // namespace xg2lab::passes
