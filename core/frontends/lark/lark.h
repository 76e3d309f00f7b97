// Parses Lark text into a Grammar.
//
// Twin:  xg2lab/reference/lark.py
// Tests: tests/core/test_lark.py, tests/differential/test_lark.py
//
// IDEA
//   A Lark grammar describes two machines, a lexer and a parser. Both become one grammar over
//   bytes:
//     parser.h     text to definitions and statements
//     resolve.h    imports, templates, overriding: one list of definitions
//     terminals.h  the lexer's terminals, as regular languages
//     leaves.h     which leaves may be neighbours
//     lexing.h     the readings that the lexer excludes: a keyword as a name, a match that ends
//                  early
//     writer.h     rules without these readings
//
// EXAMPLE   start: "if" NAME   NAME: /[a-z]+/   %ignore " "      accepts "if x", but not "ifx" or
//           "if if"
//
// The shape of parse trees is ignored: `->`, `?rule`, `!rule`, `_rule` and priorities of rules
// don't affect the language. Refused by name: %declare without a definition (a postlex program,
// such as Python's indentation), lookarounds that reach beyond a terminal, and a suffix with
// lookarounds where captures leave the suffix out.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "grammar/grammar.h"
#include "grammar/outline.h"

namespace xg2lab {

// A schema's grammar, or the schema's mistakes.
struct SchemaGrammar {
  std::shared_ptr<const Grammar> grammar;
  std::string mistake;
};

// Work counters for tests: each is linear for a grammar whose terminals don't overlap.
struct LarkWork {
  size_t n_nodes = 0;            // of the trees of rules
  size_t n_neighbour_steps = 0;  // to find the neighbours of leaves
  size_t n_set_words = 0;        // of the resulting sets
  size_t n_lexer_cells = 0;      // of the machine of all terminals
  size_t n_bar_steps = 0;        // to find the bars that rules leave behind
  size_t n_exprs = 0;            // of the grammar
};

struct LarkOptions {
  std::string start = "start";
  // contextual, basic, dynamic or dynamic_complete, see lexing.h. Otherwise an ArgumentError.
  std::string lexer = "contextual";
  // The id of the special token with this name; empty: no vocabulary is given.
  std::function<std::optional<TokenId>(std::string_view name)> special_token;
  // The grammar `@name`. Also the text that `%import name.X` imports from, which is the grammar
  // `@name` as well.
  std::function<std::shared_ptr<const Grammar>(std::string_view name)> named_grammar;
  std::function<const std::string*(std::string_view name)> named_text;
  // The grammar of %json {...}; never empty.
  std::function<SchemaGrammar(std::string_view json)> schema_grammar;
  LarkWork* work = nullptr;  // adds up the work, if not null
};

// Throws Error: GrammarSyntaxError, GrammarError, UnsupportedError or LimitError, with all
// mistakes.
Grammar parse_lark(std::string text, const LarkOptions& options);

// The names in a text, which may have mistakes; names within the braces of %lark and %json are
// those of other texts. Throws Error: LimitError, or GrammarSyntaxError for a text that is not
// UTF-8.
Outline outline_lark(const std::string& text);

}  // namespace xg2lab
