// Strict decoding, encoding, and two coarse classes of characters.
// Read: decode_utf8 first; the tables below list blocks of Unicode, not the full database.
// The trick: the smallest code point of each length rules out overlong forms in one comparison.
#include "support/utf8.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

namespace xg2lab {
namespace {

struct Block {
  uint32_t lo;
  uint32_t hi;  // inclusive
};

template <size_t N>
bool is_in(const std::array<Block, N>& blocks, uint32_t code_point) {
  return std::any_of(blocks.begin(), blocks.end(), [code_point](const Block& block) {
    return block.lo <= code_point && code_point <= block.hi;
  });
}

// Spaces, line breaks, direction marks, byte order mark, specials.
constexpr std::array<Block, 12> kInvisible{{{0x80, 0xA0},
                                            {0xAD, 0xAD},
                                            {0x61C, 0x61C},
                                            {0x1680, 0x1680},
                                            {0x180B, 0x180F},
                                            {0x2000, 0x200F},
                                            {0x2028, 0x202F},
                                            {0x205F, 0x206F},
                                            {0x3000, 0x3000},
                                            {0x3164, 0x3164},
                                            {0xFEFF, 0xFEFF},
                                            {0xFFF0, 0xFFFF}}};
// Combining marks and variation selectors.
constexpr std::array<Block, 6> kCombining{{{0x300, 0x36F},
                                           {0x483, 0x489},
                                           {0x1AB0, 0x1AFF},
                                           {0x1DC0, 0x1DFF},
                                           {0x20D0, 0x20FF},
                                           {0xFE00, 0xFE2F}}};
// Punctuation and symbols: Latin-1, general punctuation to miscellaneous symbols, CJK, fullwidth
// ASCII.
constexpr std::array<Block, 12> kSymbols{{{0xA1, 0xA9},
                                          {0xAB, 0xB4},
                                          {0xB6, 0xB9},
                                          {0xBB, 0xBF},
                                          {0xD7, 0xD7},
                                          {0xF7, 0xF7},
                                          {0x2010, 0x209F},
                                          {0x2190, 0x2BFF},
                                          {0x2E00, 0x2E7F},
                                          {0x3001, 0x3004},
                                          {0x3008, 0x3020},
                                          {0xFF01, 0xFF0F}}};

bool is_private_or_unassigned(uint32_t code_point) {
  return (code_point >= 0xE000 && code_point <= 0xF8FF) || code_point >= 0xE0000 ||
         (code_point & 0xFFFEu) == 0xFFFEu;
}

}  // namespace

std::optional<DecodedCodePoint> decode_utf8(std::string_view text, size_t offset) {
  if (offset >= text.size()) return std::nullopt;
  const auto lead = static_cast<unsigned char>(text[offset]);
  if (lead < 0x80) return DecodedCodePoint{lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return std::nullopt;
  const uint32_t n_bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (offset + n_bytes > text.size()) return std::nullopt;
  uint32_t code_point = lead & (0x7Fu >> n_bytes);
  for (uint32_t i = 1; i < n_bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[offset + i]);
    if ((byte & 0xC0u) != 0x80u) return std::nullopt;
    code_point = (code_point << 6) | (byte & 0x3Fu);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code_point < kSmallest[n_bytes] || !is_scalar_value(code_point)) return std::nullopt;
  return DecodedCodePoint{code_point, n_bytes};
}

std::optional<size_t> find_invalid_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    uint64_t eight = 0;
    if (at + sizeof eight <= text.size()) std::memcpy(&eight, text.data() + at, sizeof eight);
    else eight = static_cast<unsigned char>(text[at]);
    if ((eight & 0x8080808080808080ull) == 0) {  // ASCII
      at += at + sizeof eight <= text.size() ? sizeof eight : 1;
      continue;
    }
    const auto decoded = decode_utf8(text, at);
    if (!decoded) return at;
    at += decoded->n_bytes;
  }
  return std::nullopt;
}

void append_utf8(std::string& out, uint32_t code_point) {
  const auto byte = [&out](uint32_t value) { out += static_cast<char>(value); };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xC0 | (code_point >> 6));
    byte(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    byte(0xE0 | (code_point >> 12));
    byte(0x80 | ((code_point >> 6) & 0x3F));
    byte(0x80 | (code_point & 0x3F));
  } else {
    byte(0xF0 | (code_point >> 18));
    byte(0x80 | ((code_point >> 12) & 0x3F));
    byte(0x80 | ((code_point >> 6) & 0x3F));
    byte(0x80 | (code_point & 0x3F));
  }
}

bool is_printable(uint32_t code_point) {
  if (code_point < 0x80) return code_point >= 0x20 && code_point != 0x7F;
  return is_scalar_value(code_point) && !is_in(kInvisible, code_point) &&
         !is_in(kCombining, code_point) && !is_private_or_unassigned(code_point);
}

bool is_name_character(uint32_t code_point) {
  if (code_point < 0x80) {
    return (code_point >= 'a' && code_point <= 'z') || (code_point >= 'A' && code_point <= 'Z') ||
           (code_point >= '0' && code_point <= '9') || code_point == '_';
  }
  if (is_in(kCombining, code_point)) return true;
  return is_printable(code_point) && !is_in(kSymbols, code_point);
}

}  // namespace xg2lab
