// The call of a macro, read: name, arguments, keywords. What it means is macros.h's affair.
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
  std::string text;               // kText: its bytes. Else: the words
  SourceSpan name;                // kName, kRepeatedName: of the name alone
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

// Reads the call whose name is lexeme `at`, followed by `(`; `at` is then the lexeme of its `)`, or,
// if that is missing, the last one before `end`, where the rule ends. Mistakes are reported, and
// what can be read is read.
MacroCall read_macro_call(std::string_view text, const std::vector<Lexeme>& lexemes, size_t& at,
                          size_t end, Findings& findings);

}  // namespace xg2lab::ebnf
