// Makes text safe to display: escapes characters that are invisible or that reorder others.
//
// Twin:  xg2lab/errors.py (visible)
// Tests: tests/core/test_visible.py
//
// IDEA
//   A message quotes text from other people. A bidirectional control in such text (U+202E) makes a
//   terminal draw the rest of the line from right to left, and a zero-width space hides that two
//   names differ. So these characters are shown as EBNF escapes: \u202E. Letters of all scripts,
//   and combining marks, stay.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xg2lab {

// A control other than tab and line feed, a format character, or a blank filler.
bool is_hidden(uint32_t code_point);
// \x1B, \u202E, \U000E0001.
std::string escaped(uint32_t code_point);
// `text` with its hidden characters escaped; bytes that are not UTF-8 stay.
std::string visible(std::string_view text);

}  // namespace xg2lab
