// The lexemes of a Lark grammar: the span and the kind of each.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   Line breaks matter for one reason: a statement begins with the first lexeme of a line. So each
//   lexeme records whether it is the first of its line; a body may span lines.
//
// EXAMPLE   NUM.2: /[0-9]+/ | "x"i   kName kDot kNumber kColon kPattern kBar kText kEnd
//
// INVARIANTS
//   I1  lexemes are in order and don't overlap; none but the last kEnd ones is empty
//   I2  the list ends in kLookahead lexemes of kind kEnd
//
// COST      linear in the text, except that each text in braces is searched once more.
// NOT HERE  the values of texts and patterns (values.h), the grammar of the dialect (parser.h).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace xg2lab::lark {

enum class LexemeKind : uint8_t {
  kName,       // letters, digits, '_', and after the first of them also '-'
  kText,       // "..." or "..."i
  kPattern,    // /.../flags
  kNumber,     // 12 or -1
  kDirective,  // %ignore and others
  kBraced,     // {...} after %json, %regex and %llguidance
  kSpecial,    // <name> and <[5-7]>
  kGrammar,    // @name
  kColon,
  kBar,
  kAnd,
  kTilde,
  kArrow,  // ->
  kDots,   // ..
  kDot,
  kComma,
  kRepeat,  // * + ?
  kMark,    // !
  kOpen,
  kClose,
  kOpenMaybe,   // [
  kCloseMaybe,  // ]
  kOpenBrace,
  kCloseBrace,
  kEnd,
  // Mistakes, which the parser reports:
  kUnterminatedText,
  kUnterminatedPattern,
  kUnterminatedBraces,
  kUnknown,
};

struct Lexeme {
  LexemeKind kind = LexemeKind::kEnd;
  bool is_first = false;  // of its line
  SourceSpan span;
};

constexpr size_t kLookahead = 3;

// `text` must be valid UTF-8.
std::vector<Lexeme> read_lexemes(std::string_view text);

}  // namespace xg2lab::lark
