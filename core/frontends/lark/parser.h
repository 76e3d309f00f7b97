// Lark text -> Document.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   A statement begins where the first lexemes of a line look like one: `name:`, with whatever may stand between the two,
//   or one of the directives. So a body may run over lines, and a mistake in one statement can't hide the next.
//
// GRAMMAR OF THE DIALECT (what Lark has, and llguidance's additions)
//   definition  ::= ("%override" | "%extend")? [!?]* name ("{" name ("," name)* "}")? ("." number)? options? ":" choice
//   options     ::= "[" ... "]"                          frontends/ebnf/rule_options.h, and suffix, stop
//   statement   ::= "%ignore" choice | "%declare" name+ | "%import" path ("->" name | "(" names ")")?
//   choice      ::= both ("->" name)? ("|" both ("->" name)?)*
//   both        ::= sequence ("&" sequence)*
//   sequence    ::= (atom ([*+?] | "~" n (".." m)? | "{" n? ","? m? "}")?)*
//   atom        ::= "~"? ("(" choice ")" | "[" choice "]" | text | text ".." text | pattern | name | name "{" values "}"
//                   | <special> | <[ids]> | @name | %json {...} | %regex {...} | %lark { grammar })
//
// COST  linear in the text. Nesting is bounded.   NOT HERE  what names mean (resolve.h).
#pragma once

#include "frontends/lark/reading.h"
#include "frontends/lark/syntax.h"

namespace xg2lab::lark {

// The id of the special token with this name. Nothing: there is none.
using SpecialToken = std::function<std::optional<TokenId>(std::string_view name)>;

struct ParseContext {
  Tree& tree;
  const SpecialToken& special_token;  // may be empty: no tokenizer is known
};

// Mistakes are reported to `reading`; what is returned then is harmless.
Document parse(const Reading& reading, const ParseContext& context);

}  // namespace xg2lab::lark
