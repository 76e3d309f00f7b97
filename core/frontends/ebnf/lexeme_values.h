// The values of literals, classes and bounds.
//
// Tests: tests/core/test_ebnf.py.   Twin: xg2lab/reference/lexemes.py
//
// IDEA
//   An escape is a code point, never a byte: "\xE9" is é, two bytes of UTF-8. In a class, an
//   unescaped '-' between two code points makes a range; escaped or at an end of the class it
//   stands for itself.
//
// EXAMPLE   "\x41\u00e9" is the bytes 41 C3 A9.     [a-c-] is {2D, 61..63}.     {,3} is {0, 3}.
//
// Mistakes are reported to `findings`; the result is then a harmless default.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontends/ebnf/lexer.h"
#include "grammar/grammar.h"
#include "support/findings.h"

namespace xg2lab::ebnf {

struct Bounds {
  uint32_t min = 0;
  uint32_t max = 0;  // kNoUpperBound: no limit
};

constexpr uint32_t kMostTokenId = 2147483647;

std::string read_literal(std::string_view text, const Lexeme& lexeme, Findings& findings);
// For each byte of a literal's value, and for its end: the position in the text that it comes from.
// `literal` must be free of mistakes.
std::vector<uint32_t> positions_in_literal(std::string_view text, SourceSpan literal);
std::vector<CodePointRange> read_class(std::string_view text, const Lexeme& lexeme,
                                       Findings& findings);
std::optional<Bounds> read_bounds(std::string_view text, const Lexeme& lexeme, Findings& findings);
// <[5]> or !<[5]>.
std::optional<TokenSet> read_token(std::string_view text, const Lexeme& lexeme, Findings& findings);
// The token id written as `digits` at `span`.
std::optional<TokenId> read_token_id(std::string_view digits, SourceSpan span, Findings& findings);

}  // namespace xg2lab::ebnf
