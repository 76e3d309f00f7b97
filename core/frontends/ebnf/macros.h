// The macros of the dialect, one table row for each.
//
// Tests: tests/core/test_dispatch.py
//
// EXAMPLE   TagDispatch(("<a>", a), stop_eos=false, stop_str=("<end>"), excludes=("<b>"))
//           AnyOrder(a, b?, c*, d+, sep=comma, min=1, max=5)      members in any order, with `sep`
//                                                                 (a
//           rule or a text) between them: a once, b at most once, c any number of times, d at least
//           once; at least `min` and at most `max` members in total
//
// A row holds a name and the function that makes an expression from a call. A macro without a
// function is recognized and refused by name.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "frontends/ebnf/macro_call.h"
#include "grammar/grammar.h"
#include "support/findings.h"

namespace xg2lab::ebnf {

struct MacroContext {
  GrammarBuilder& builder;
  Findings& findings;
  const SourceText& source;
  // The rule with this name. Nothing if there is none, which is reported.
  std::function<std::optional<RuleId>(SourceSpan name)> rule_named;
};

// Whether `name(` is one of the dialect's macros.
bool is_macro(std::string_view name);
// The macro that the author probably meant.
std::optional<std::string_view> macro_like(std::string_view name);
// The expression that a call denotes. Mistakes are reported, and a harmless expression replaces the
// call.
ExprId make_macro(const MacroCall& call, std::string_view name, MacroContext& context);

}  // namespace xg2lab::ebnf
