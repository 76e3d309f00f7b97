// The lexemes of the EBNF dialect: the span and the kind of each.
//
// Tests: tests/core/test_ebnf.py.   Twin: xg2lab/reference/lexemes.py
//
// IDEA
//   A line break is a space like any other, except that it ends comments and unclosed literals and
//   classes. So a mistake in one line doesn't affect the next.
//
// EXAMPLE   a ::= [0-9]{2}  # two digits      kName kDefine kClass kRepeat kEnd
//
// INVARIANTS
//   I1  lexemes are in order and don't overlap; none but the last kEnd ones is empty
//   I2  the list ends in kLookahead lexemes of kind kEnd, so that a parser may look ahead
//
// COST      linear in the text.
// NOT HERE  the values of escapes, ranges and bounds (lexeme_values.h), the grammar of the dialect
//           (parser.h).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace xg2lab::ebnf {

enum class LexemeKind : uint8_t {
  kName,           // letters, digits, '_', and after the first of them also '-' and '.'
  kDefine,         // ::=
  kLiteral,        // "..." or '...'
  kClass,          // [...]
  kOptions,        // [...] between the name of a rule and ::=
  kRepeat,         // * + ? {...}
  kOpen,           // (
  kOpenLookahead,  // (=
  kClose,          // )
  kBar,            // |
  kToken,          // <[5]> and !<[5]>: Token(5) and ExcludeToken(5) as llama.cpp writes them
  kSlot,           // $x and $$x, in templates alone
  kEnd,
  // Mistakes, which the parser reports:
  kUnterminatedLiteral,
  kUnterminatedClass,
  kUnterminatedBounds,
  kAlmostDefine,  // = : := -> and similar
  kUnknown,       // one character, or a run of characters that can't begin a lexeme
};

struct Lexeme {
  LexemeKind kind = LexemeKind::kEnd;
  SourceSpan span;
};

constexpr size_t kLookahead = 3;

// Templates have slots; in a grammar `$` is a mistake.
enum class Dialect : uint8_t { kGrammar, kTemplate };

// `text` must be valid UTF-8 (a byte order mark at its start is a space).
std::vector<Lexeme> read_lexemes(std::string_view text, Dialect dialect = Dialect::kGrammar);

}  // namespace xg2lab::ebnf
