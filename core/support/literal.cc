// Read: append_character, one character; append_literal, a text.
#include "support/literal.h"

#include "support/utf8.h"

namespace xg2lab {
namespace {

void append_hex(std::string& out, const char* prefix, uint32_t value, int n_digits) {
  out += prefix;
  for (int shift = 4 * (n_digits - 1); shift >= 0; shift -= 4) {
    out += "0123456789abcdef"[(value >> shift) & 0xFu];
  }
}

}  // namespace

void append_character(std::string& out, uint32_t code_point, std::string_view special) {
  switch (code_point) {
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  if (code_point < 0x80 && special.find(static_cast<char>(code_point)) != std::string_view::npos) {
    out += '\\';
    out += static_cast<char>(code_point);
  } else if (is_printable(code_point)) {
    append_utf8(out, code_point);
  } else if (code_point <= 0xFF) {
    append_hex(out, "\\x", code_point, 2);
  } else if (code_point <= 0xFFFF) {
    append_hex(out, "\\u", code_point, 4);
  } else {
    append_hex(out, "\\U", code_point, 8);
  }
}

void append_literal(std::string& out, std::string_view bytes) {
  out += '"';
  for (size_t at = 0; at < bytes.size();) {
    if (const auto byte = static_cast<uint8_t>(bytes[at]); byte >= ' ' && byte <= '~') {
      if (byte == '"' || byte == '\\') out += '\\';
      out += bytes[at++];
      continue;
    }
    const auto decoded = decode_utf8(bytes, at);
    append_character(out, decoded ? decoded->code_point : 0xFFFD, "\"\\");
    at += decoded ? decoded->n_bytes : 1;
  }
  out += '"';
}

std::string print_literal(std::string_view bytes) {
  std::string out;
  append_literal(out, bytes);
  return out;
}

}  // namespace xg2lab
