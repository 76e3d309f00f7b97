// Text fit to be shown: characters that can't be seen, or that turn others around, are escaped.
//
// Twin:  xg2lab/errors.py (visible)
// Tests: tests/core/test_visible.py
//
// IDEA
//   A message quotes what somebody else wrote. A control of bidirectional text in it (U+202E)
//   makes a terminal draw the rest of the line from right to left, and a zero-width space hides
//   that two names differ. So such characters are written as in EBNF: \u202E. Letters of all
//   scripts, and marks that combine with them, stay.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xg2lab {

// A control, but for tab and line feed; a format character; a filler without a shape.
bool is_hidden(uint32_t code_point);
// \x1B, \u202E, \U000E0001.
std::string escaped(uint32_t code_point);
// `text` with its hidden characters escaped; bytes that are not UTF-8 stay.
std::string visible(std::string_view text);

}  // namespace xg2lab
