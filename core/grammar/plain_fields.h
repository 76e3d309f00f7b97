// The fields of a serialized grammar, table by table, in the order in which they are written.
//
// Tests: tests/core/test_grammar.py, tests/unit/grammar_plain.cc
//
// See support/fields.h for what a list is, and for how to add a field. A check that needs several
// fields is in grammar/plain.cc.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "automata/member_marks.h"
#include "grammar/plain.h"
#include "support/bounds.h"
#include "support/fields.h"
#include "support/utf8.h"

namespace xg2lab {

constexpr OrRefuse kSpanInSource = or_refuse("a span reaches out of the source");
constexpr OrRefuse kBeforeParent = or_refuse("a child does not come before its parent");

template <class Visit, Of<PlainGrammar> Tables>
void fields(Visit& visit, Tables& plain) {
  visit("source", plain.source);
  visit("source_name", plain.source_name);
  visit("root", plain.root, or_refuse("the root is not one of its rules"));
  visit("rules", plain.rules);
  visit("expressions", plain.exprs, checked_in("check_expr"));
  visit.optional_rows("options", plain, &rows_of_options, &add_options);
  visit.optional_rows("token_names", plain, &rows_of_token_names, &add_token_name);
}

template <class Visit, Of<Rule> Row>
void fields(Visit& visit, Row& rule) {
  visit("name", rule.name, must(&is_rule_name, "a rule has a name that can't be written"));
  visit("body", rule.body, or_refuse("a rule has no body"));
  visit("lookahead", rule.lookahead, or_refuse("a lookahead is not one of its expressions"));
  visit("span", rule.span, kSpanInSource);
  visit("name_span", rule.name_span, kSpanInSource);
}

template <class Visit, Of<PlainRuleOptions> Row>
void fields(Visit& visit, Row& row) {
  visit("rule", row.rule, checked_in("add_options"));
  fields(visit, row.options);
}

template <class Visit, Of<PlainTokenName> Row>
void fields(Visit& visit, Row& row) {
  visit("expression", row.expr, checked_in("add_token_name"));
  visit("text", row.name.text, checked_in("check_token_set"));
  visit("span", row.name.span, checked_in("check_token_set"));
}

template <class Visit, Of<RuleOptions> Options>
void fields(Visit& visit, Options& options) {
  constexpr const char* kNoSense = "an option of a rule has an invalid value";
  const auto is_positive_bound = [](uint32_t n) { return n > 0 && is_bound(n); };
  const auto is_temperature = [](double t) { return std::isfinite(t) && t >= 0; };
  const auto is_name = [](const std::string& s) { return !s.empty() && !find_invalid_utf8(s); };
  visit("max_tokens", options.max_tokens, must(is_positive_bound, kNoSense));
  visit("max_chars", options.max_chars, must(&is_bound, kNoSense));
  visit("lazy", options.is_lazy);
  visit("capture", options.capture, must(is_name, "a capture has no name"));
  visit("temperature", options.temperature, must(is_temperature, kNoSense));
  visit("parts", options.parts, checked_in("check_rules"));
  visit("hidden", options.is_hidden);
  visit("spans", options.spans, kSpanInSource);
}

template <class Visit, Of<PlainExpr> Expr>
void fields(Visit& visit, Expr& e) {
  constexpr auto kind_text = +[](const ExprKind& kind) { return std::string(kind_name(kind)); };
  visit("kind", as_text(e.kind, kind_text, &read_kind, "unknown kind of expression"));
  visit.payload_of(e);
  visit("span", e.span, kSpanInSource);
}

// What an expression holds beside its span: no value, one value, or a row of its own.
template <class Visit, Of<PlainExpr> Expr>
void payload(Visit& visit, Expr& e) {
  switch (e.kind) {
    case ExprKind::kEmpty:
    case ExprKind::kNothing: return visit.no_value();
    case ExprKind::kLiteral: return visit.one_value("literal", byte_string(e.literal));
    case ExprKind::kRuleRef:
      return visit.one_value("rule", e.rule, or_refuse("a reference names no rule"));
    case ExprKind::kClass: {
      const auto is_range = [](CodePointRange r) { return r.lo <= r.hi && r.hi <= kMaxCodePoint; };
      return visit.one_value("ranges", e.ranges, must(is_range, "a class has an invalid range"));
    }
    case ExprKind::kSequence:
    case ExprKind::kChoice: return visit.one_value("children", e.children, kBeforeParent);
    case ExprKind::kRepeat:
      return visit.row([&e](auto& row) {
        row("child", only_one(e.children), kBeforeParent);
        row("min", e.min);
        row("max", or_none(e.max));
      });
    case ExprKind::kDispatch:
      return visit.row([&e](auto& row) {
        row("tags", e.dispatch.tags);
        row("children", e.children, kBeforeParent);
        row("stop_texts", e.dispatch.stop_texts);
        row("excludes", e.dispatch.excludes);
        row("stop_eos", e.dispatch.stop_eos);
        row("loop_after_dispatch", e.dispatch.loop_after_dispatch);
      });
    case ExprKind::kTokenSet: return visit.one_value("tokens", e.tokens);
    case ExprKind::kMachine: return visit.one_value("machine", e.machine);
    case ExprKind::kAnyOrder:
      return visit.row([&e](auto& row) {
        auto& bounds = e.any_order;
        row("members",
            as_text(bounds, &member_marks, &read_member_marks, "a member's bounds are invalid"));
        row("children", e.children, kBeforeParent);
        row("min_total", bounds.min_total);
        row("max_total", or_none(bounds.max_total));
      });
  }
}

template <class Visit, Of<CodePointRange> Range>
void fields(Visit& visit, Range& range) {
  visit("lo", range.lo);
  visit("hi", range.hi);
}

template <class Visit, Of<WatchedText> Watched>
void fields(Visit& visit, Watched& watched) {
  const auto is_filled = [](const std::string& text) { return !text.empty(); };
  const auto is_utf8 = [](const std::string& text) { return !find_invalid_utf8(text); };
  visit("text", watched.text, must(is_filled, "a watched text is empty"),
        must(is_utf8, "a watched text is not UTF-8"));
  visit("span", watched.span, kSpanInSource);
}

}  // namespace xg2lab
