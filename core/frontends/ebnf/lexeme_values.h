// What literals, classes and bounds stand for.
//
// Tests: tests/core/test_ebnf.py.   Twin: xg2lab/reference/lexemes.py
//
// IDEA
//   An escape is a code point, never a byte: "\xE9" is é, two bytes of UTF-8. In a class, a '-'
//   that is written plainly between two code points makes a range; escaped or at an end it is
//   itself.
//
// EXAMPLE   "\x41\u00e9" is the bytes 41 C3 A9.     [a-c-] is {2D, 61..63}.     {,3} is {0, 3}.
//
// Mistakes are reported to `findings`; what is returned then is a harmless stand-in.
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
// For each byte of a literal's value, and for its end: where in the text that comes from. `literal` has no mistakes.
std::vector<uint32_t> places_in_literal(std::string_view text, SourceSpan literal);
std::vector<CodePointRange> read_class(std::string_view text, const Lexeme& lexeme,
                                       Findings& findings);
std::optional<Bounds> read_bounds(std::string_view text, const Lexeme& lexeme, Findings& findings);
// <[5]> or !<[5]>.
std::optional<TokenSet> read_token(std::string_view text, const Lexeme& lexeme, Findings& findings);
// `digits`, which stand at `span`, as a token's id.
std::optional<TokenId> read_token_id(std::string_view digits, SourceSpan span, Findings& findings);

}  // namespace xg2lab::ebnf
