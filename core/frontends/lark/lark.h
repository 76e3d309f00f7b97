// Lark text -> Grammar.
//
// Twin:  xg2lab/reference/lark.py
// Tests: tests/core/test_lark.py, tests/differential/test_lark.py
//
// IDEA
//   A Lark grammar describes two machines, a lexer and a parser. Here both become one grammar over bytes:
//     parser.h     text to definitions and statements
//     resolve.h    imports, templates, overriding: one list of definitions
//     terminals.h  what the lexer reads, as regular languages
//     leaves.h     what may stand beside what
//     lexing.h     what the lexer would not do: read a keyword as a name, end a match before its end
//     writer.h     rules in which that is ruled out
//
// EXAMPLE   start: "if" NAME   NAME: /[a-z]+/   %ignore " "      "if x" is a text of it, "ifx" and "if if" are not
//
// The shape of trees is no matter here: `->`, `?rule`, `!rule`, `_rule` and priorities of rules
// say nothing about texts. Refused by name: %declare without a definition (a postlex program, like
// Python's indentation), lookarounds beyond a terminal, and a suffix that looks around where
// captures leave it out.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "grammar/grammar.h"

namespace xg2lab {

// A grammar, or what is wrong with the schema.
struct SchemaGrammar {
  std::shared_ptr<const Grammar> grammar;
  std::string mistake;
};

// What was done to read a grammar, for tests: each is linear in a grammar whose terminals do not
// run into each other.
struct LarkWork {
  size_t n_nodes = 0;            // of the trees of rules
  size_t n_neighbour_steps = 0;  // to find what may stand beside what
  size_t n_set_words = 0;        // of the sets that came of it
  size_t n_lexer_cells = 0;      // of the machine of all terminals
  size_t n_bar_steps = 0;        // to find what rules leave behind
  size_t n_exprs = 0;            // of the grammar
};

struct LarkOptions {
  std::string start = "start";
  // contextual, basic, dynamic, dynamic_complete: lexing.h says what they are. Else an ArgumentError.
  std::string lexer = "contextual";
  // The id of the special token with this name; empty: no vocabulary is known.
  std::function<std::optional<TokenId>(std::string_view name)> special_token;
  // The grammar `@name`; and the text that `%import name.X` reads, which is also the grammar `@name`.
  std::function<std::shared_ptr<const Grammar>(std::string_view name)> named_grammar;
  std::function<const std::string*(std::string_view name)> named_text;
  // What %json {...} stands for; never empty.
  std::function<SchemaGrammar(std::string_view json)> schema_grammar;
  LarkWork* work = nullptr;  // where it is added up, if anywhere
};

// Throws Error: GrammarSyntaxError, GrammarError, UnsupportedError or LimitError, with every mistake.
Grammar parse_lark(std::string text, const LarkOptions& options);

}  // namespace xg2lab
