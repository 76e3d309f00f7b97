// Characters and texts as our EBNF spells them.
//
// Tests: tests/core/test_grammar.py
//
// EXAMPLE   the bytes 61 22 0A are the literal "a\"\n".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xg2lab {

// `special`: printable characters that need a backslash here, each its own escape.
void append_character(std::string& out, uint32_t code_point, std::string_view special);
// The literal of UTF-8. A byte that isn't UTF-8 shows as U+FFFD, so that it can't be taken for a
// character that the literal holds.
void append_literal(std::string& out, std::string_view bytes);
std::string print_literal(std::string_view bytes);

}  // namespace xg2lab
