// A regular expression as part of a grammar: as expressions where possible, otherwise as machines.
//
// Twin:  xg2lab/reference/regex.py
// Tests: tests/core/test_regex.py, tests/differential/test_regex.py
//
// IDEA
//   A pattern without lookarounds is equivalent to grammar expressions: it becomes these
//   expressions, and its large repetitions are counted like any others. A pattern with lookarounds,
//   or one that is written as a JSON string, becomes a machine; its large repetitions stay
//   repetitions of smaller machines wherever no lookaround is involved.
//
//   [a-z]{1,65536}       an expression: one counted edge
//   (?!if$)[a-z]{1,9}    a machine: kMachine, printed as a macro call
//
// LIMITS    kRegexLimits (languages/regex/pattern.h); beyond them an error regex_too_large with the
//           pattern's span.
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

// Maps a span of the pattern to a span of the source.
using SpanInSource = std::function<SourceSpan(SourceSpan)>;

// Adds the expression of the pattern. Mistakes are reported with spans of the source; a harmless
// expression then replaces the pattern.
ExprId add_regex(GrammarBuilder& builder, std::string_view pattern, const Options& options,
                 const SpanInSource& in_source, const Report& report);

// Adds the expression of a node matched as a whole; spans of the tree are spans of the pattern.
// Nothing if it is too large.
std::optional<ExprId> add_tree(GrammarBuilder& builder, Ast& ast, NodeId node,
                               const SpanInSource& in_source);

// Adds a given language; `written` is a tree that describes it, for printing. Nothing if it is too
// large.
std::optional<ExprId> add_language(GrammarBuilder& builder, Ast& ast, NodeId written,
                                   const CodePointDfa& dfa, const SpanInSource& in_source);

// A grammar with the single rule `root`; its source is the pattern. Throws Error with all mistakes.
Grammar grammar_of_regex(std::string pattern);

}  // namespace xg2lab::regex
