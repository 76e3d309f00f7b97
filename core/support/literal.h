// Characters and texts in EBNF notation.
//
// Tests: tests/core/test_grammar.py
//
// EXAMPLE   the bytes 61 22 0A are the literal "a\"\n".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xg2lab {

// `special`: printable characters that need a backslash in this context; each is escaped by itself.
void append_character(std::string& out, uint32_t code_point, std::string_view special);
// The literal of a UTF-8 text. A byte that isn't UTF-8 shows as U+FFFD, so that it can't be
// mistaken for a character of the literal.
void append_literal(std::string& out, std::string_view bytes);
std::string print_literal(std::string_view bytes);

}  // namespace xg2lab
