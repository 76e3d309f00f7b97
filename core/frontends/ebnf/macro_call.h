// Parses the call of a macro: name, arguments, keywords. macros.h gives it its meaning.
//
// Tests: tests/core/test_dispatch.py
//
// GRAMMAR
//   call     ::= name "(" items ")"
//   items    ::= (item ("," item)* ","?)?
//   item     ::= (name "=")? value
//   value    ::= literal | number | "true" | "false" | name ("?" | "*" | "+")? | "(" items ")"
//
// EXAMPLE   TagDispatch(("<a>", a), stop_str=("x", "y"))
//           kTuple(kText "<a>", kName a), then stop_str: kTuple(kText "x", kText "y")
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontends/ebnf/lexer.h"
#include "support/findings.h"

namespace xg2lab::ebnf {

struct MacroValue {
  enum Kind : uint8_t { kText, kNumber, kFlag, kName, kRepeatedName, kTuple };
  Kind kind = kTuple;
  SourceSpan span;
  std::string text;               // kText: its bytes. Otherwise the source text
  SourceSpan name;                // kName, kRepeatedName: span of the name alone
  std::vector<MacroValue> items;  // kTuple
};

struct MacroArgument {
  std::string keyword;  // empty: a positional argument
  SourceSpan keyword_span;
  MacroValue value;
};

struct MacroCall {
  SourceSpan name;
  SourceSpan span;  // name to `)`
  std::vector<MacroArgument> arguments;
};

// Parses the call whose name is lexeme `at`, followed by `(`. Afterwards `at` is the lexeme of its
// `)` or, if that is missing, the last lexeme before `end`, where the rule ends. Mistakes are
// reported; the arguments without mistakes are returned.
MacroCall read_macro_call(std::string_view text, const std::vector<Lexeme>& lexemes, size_t& at,
                          size_t end, Findings& findings);

}  // namespace xg2lab::ebnf
