// UTF-8, strictly: shortest forms only, no surrogates, nothing above U+10FFFF.
//
// Tests: tests/core/test_ebnf.py (through the front end), tests/core/test_grammar.py
//
// EXAMPLE   decode_utf8("é", 0) == {0xE9, 2 bytes}.   decode_utf8("\xC1\x81", 0): nothing,
//           overlong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xg2lab {

constexpr uint32_t kMaxCodePoint = 0x10FFFF;
constexpr uint32_t kFirstSurrogate = 0xD800;
constexpr uint32_t kLastSurrogate = 0xDFFF;

constexpr bool is_surrogate(uint32_t code_point) {
  return code_point >= kFirstSurrogate && code_point <= kLastSurrogate;
}
constexpr bool is_scalar_value(uint32_t code_point) {
  return code_point <= kMaxCodePoint && !is_surrogate(code_point);
}

struct DecodedCodePoint {
  uint32_t code_point = 0;
  uint32_t n_bytes = 0;
};

// The code point that begins at `offset`; nothing if the bytes there are not UTF-8.
std::optional<DecodedCodePoint> decode_utf8(std::string_view text, size_t offset);
// Offset of the first byte that is not part of valid UTF-8; nothing if all of it is valid.
std::optional<size_t> find_invalid_utf8(std::string_view text);
void append_utf8(std::string& out, uint32_t code_point);

// A character that readers can see and distinguish: no controls, no spaces except U+0020, no
// combining marks, no invisible formatting, no private or unassigned blocks.
bool is_printable(uint32_t code_point);
// A character of a name: ASCII letters, digits, underscore, and printable non-ASCII letters and
// marks by block (without punctuation and symbols that resemble syntax).
bool is_name_character(uint32_t code_point);

}  // namespace xg2lab
