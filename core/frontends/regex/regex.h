// A regular expression as part of a grammar: expressions where possible, else machines.
//
// Twin:  xg2lab/reference/regex.py
// Tests: tests/core/test_regex.py, tests/differential/test_regex.py
//
// IDEA
//   A pattern that looks nowhere but at the next character says what a grammar says as well: it becomes a grammar's
//   expressions, and its large repetitions are counted like any others. One that looks around, or that is to be written as
//   a JSON string, becomes a machine; large repetitions stay repetitions of smaller machines where nothing looks around.
//
//   [a-z]{1,65536}       an expression: one counted edge
//   (?!if$)[a-z]{1,9}    a machine: kMachine, printed as the macro call it is
//
// LIMITS    kRegexLimits (languages/regex/pattern.h); beyond them a regex_too_large with the pattern's place.
// NOT HERE  the macro's arguments (frontends/ebnf/macros.cc).
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "grammar/grammar.h"
#include "languages/regex/pattern.h"

namespace xg2lab::regex {

struct Options {
  Flags flags;
  Match match = Match::kWhole;
  Spelling spelling = Spelling::kUtf8;
};

// From a place in the pattern to one in the source.
using PlaceInSource = std::function<SourceSpan(SourceSpan)>;

// Adds what the pattern stands for. Mistakes are reported, in places of the source; something harmless stands in then.
ExprId add_regex(GrammarBuilder& builder, std::string_view pattern, const Options& options,
                 const PlaceInSource& place, const Report& report);

// Adds what a node of a tree stands for as a whole text; its spans are places in the pattern. Nothing: it is too large.
std::optional<ExprId> add_tree(GrammarBuilder& builder, Ast& ast, NodeId node,
                               const PlaceInSource& place);

// Adds a language that is known; `written` says in words what it is. Nothing: it is too large.
std::optional<ExprId> add_language(GrammarBuilder& builder, Ast& ast, NodeId written,
                                   const CodePointDfa& dfa, const PlaceInSource& place);

// A grammar of one rule, `root`; its source is the pattern. Throws Error with all mistakes.
Grammar grammar_of_regex(std::string pattern);

}  // namespace xg2lab::regex
