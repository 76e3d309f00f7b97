// Read: is_hidden, visible.
// The trick: most texts are ASCII without controls, which one pass over the bytes detects.
#include "support/visible.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "support/utf8.h"

namespace xg2lab {
namespace {

struct Range {
  uint32_t lo;
  uint32_t hi;  // inclusive
};

// Beyond ASCII, ascending. xg2lab/errors.py has the same table; a test compares the two.
constexpr std::array<Range, 16> kHidden{{{0x80, 0x9F},
                                         {0xAD, 0xAD},
                                         {0x34F, 0x34F},
                                         {0x61C, 0x61C},
                                         {0x115F, 0x1160},
                                         {0x180B, 0x180F},
                                         {0x200B, 0x200F},
                                         {0x2028, 0x202E},
                                         {0x2060, 0x206F},
                                         {0x3164, 0x3164},
                                         {0xFEFF, 0xFEFF},
                                         {0xFFA0, 0xFFA0},
                                         {0xFFF9, 0xFFFB},
                                         {0x13430, 0x1343F},
                                         {0x1D173, 0x1D17A},
                                         {0xE0000, 0xE0FFF}}};

}  // namespace

bool is_hidden(uint32_t code_point) {
  if (code_point < 0x80)
    return (code_point < 0x20 && code_point != '\t' && code_point != '\n') || code_point == 0x7F;
  return std::any_of(kHidden.begin(), kHidden.end(), [code_point](const Range& range) {
    return range.lo <= code_point && code_point <= range.hi;
  });
}

std::string escaped(uint32_t code_point) {
  char text[16];
  const char* const form = code_point <= 0xFF     ? "\\x%02X"
                           : code_point <= 0xFFFF ? "\\u%04X"
                                                  : "\\U%08X";
  std::snprintf(text, sizeof text, form, static_cast<unsigned>(code_point));
  return text;
}

std::string visible(std::string_view text) {
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char byte) {
    return (byte >= 0x20 && byte < 0x7F) || byte == '\n' || byte == '\t';
  });
  if (is_plain) return std::string(text);
  std::string shown;
  for (size_t at = 0; at < text.size();) {
    const auto here = decode_utf8(text, at);
    const size_t n_bytes = here ? here->n_bytes : 1;
    if (here && is_hidden(here->code_point)) shown += escaped(here->code_point);
    else shown += text.substr(at, n_bytes);
    at += n_bytes;
  }
  return shown;
}

}  // namespace xg2lab
