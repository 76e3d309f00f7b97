// Decodes both conventions. Read: byte-fallback, then byte-level with its table. The trick: every
// character of the byte-level table is below U+0144, so it has at most two bytes in UTF-8, and one
// table of 324 entries decodes it.
#include "vocab/decode.h"

#include <array>
#include <optional>

namespace xg2lab {
namespace {

// ---- Byte fallback ----

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581

std::optional<unsigned> hex_digit(char byte) {
  if (byte >= '0' && byte <= '9') return static_cast<unsigned>(byte - '0');
  if (byte >= 'A' && byte <= 'F') return static_cast<unsigned>(byte - 'A') + 10;
  if (byte >= 'a' && byte <= 'f') return static_cast<unsigned>(byte - 'a') + 10;
  return std::nullopt;
}

std::optional<char> single_byte(std::string_view text) {
  if (text.size() != 6 || text.substr(0, 3) != "<0x" || text[5] != '>') return std::nullopt;
  const auto high = hex_digit(text[3]);
  const auto low = hex_digit(text[4]);
  if (!high || !low) return std::nullopt;
  return static_cast<char>(static_cast<unsigned char>(*high * 16 + *low));
}

std::string decode_byte_fallback(std::string_view text) {
  if (const auto byte = single_byte(text)) return std::string(1, *byte);
  std::string bytes;
  bytes.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    if (text.compare(i, kSpaceMark.size(), kSpaceMark) == 0) {
      bytes += ' ';
      i += kSpaceMark.size();
    } else {
      bytes += text[i++];
    }
  }
  return bytes;
}

// ---- Byte level ----

constexpr size_t kTableEnd = 256 + 68;  // one past the largest code point in use
constexpr int16_t kNotInTable = -1;

constexpr bool shown_as_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr std::array<int16_t, kTableEnd> make_byte_of_code_point() {
  std::array<int16_t, kTableEnd> table{};
  for (auto& entry : table) entry = kNotInTable;
  unsigned next = 256;
  for (unsigned byte = 0; byte < 256; ++byte) {
    table[shown_as_itself(byte) ? byte : next++] = static_cast<int16_t>(byte);
  }
  return table;
}

constexpr std::array<int16_t, kTableEnd> kByteOfCodePoint = make_byte_of_code_point();

std::string decode_byte_level(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned code_point = static_cast<unsigned char>(text[i]);
    if (code_point >= 0x80) {
      const bool two_bytes = code_point >= 0xC2 && code_point <= 0xDF && i + 1 < text.size() &&
                             (static_cast<unsigned char>(text[i + 1]) & 0xC0u) == 0x80u;
      if (!two_bytes) return std::string(text);
      code_point = ((code_point & 0x1Fu) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3Fu);
    }
    if (code_point >= kTableEnd || kByteOfCodePoint[code_point] == kNotInTable) {
      return std::string(text);
    }
    bytes += static_cast<char>(static_cast<unsigned char>(kByteOfCodePoint[code_point]));
  }
  return bytes;
}

}  // namespace

std::string decode_token(std::string_view encoded, VocabType type) {
  switch (type) {
    case VocabType::kRaw: return std::string(encoded);
    case VocabType::kByteFallback: return decode_byte_fallback(encoded);
    case VocabType::kByteLevel: return decode_byte_level(encoded);
  }
  return std::string(encoded);
}

}  // namespace xg2lab
