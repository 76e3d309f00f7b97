// Parses Lark text into a Document.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   A statement begins where the first lexemes of a line are `name:`, with optional parts between
//   name and colon, or a directive. So a body may span lines, and a mistake in one statement can't
//   hide the next.
//
// GRAMMAR OF THE DIALECT (Lark's, with llguidance's additions)
//   definition  ::= ("%override" | "%extend")? [!?]* name ("{" name ("," name)* "}")?
//                   ("." number)? options? ":" choice
//   options     ::= "[" ... "]"      frontends/ebnf/rule_options.h, and suffix, stop
//   statement   ::= "%ignore" choice | "%declare" name+
//                   | "%import" path ("->" name | "(" names ")")?
//   choice      ::= both ("->" name)? ("|" both ("->" name)?)*
//   both        ::= sequence ("&" sequence)*
//   sequence    ::= (atom ([*+?] | "~" n (".." m)? | "{" n? ","? m? "}")?)*
//   atom        ::= "~"? ("(" choice ")" | "[" choice "]" | text | text ".." text | pattern
//                   | name | name "{" values "}" | <special> | <[ids]> | @name | %json {...}
//                   | %regex {...} | %lark { grammar })
//
// COST  linear in the text. Nesting is limited.   NOT HERE  the meaning of names (resolve.h).
#pragma once

#include "frontends/lark/reading.h"
#include "frontends/lark/syntax.h"

namespace xg2lab::lark {

// The id of the special token with this name. Nothing if there is none.
using SpecialToken = std::function<std::optional<TokenId>(std::string_view name)>;

struct ParseContext {
  Tree& tree;
  const SpecialToken& special_token;  // may be empty: no tokenizer is given
};

// Mistakes are reported to `reading`; the result is then harmless.
Document parse(const Reading& reading, const ParseContext& context);

}  // namespace xg2lab::lark
