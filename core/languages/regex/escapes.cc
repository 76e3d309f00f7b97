// Read: read_escape, then one function for each kind.
#include "languages/regex/escapes.h"

#include <algorithm>
#include <string>

#include "languages/regex/unicode.h"
#include "support/findings.h"
#include "support/text.h"
#include "support/utf8.h"

namespace xg2lab::regex {
namespace {

std::optional<uint32_t> hex_digit(char byte) {
  if (byte >= '0' && byte <= '9') return static_cast<uint32_t>(byte - '0');
  if (byte >= 'a' && byte <= 'f') return static_cast<uint32_t>(byte - 'a' + 10);
  if (byte >= 'A' && byte <= 'F') return static_cast<uint32_t>(byte - 'A' + 10);
  return std::nullopt;
}

bool is_ascii_letter(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}
bool is_ascii_digit(char byte) { return byte >= '0' && byte <= '9'; }

class EscapeReader {
 public:
  EscapeReader(std::string_view pattern, uint32_t& at, bool is_in_class, Flags flags,
               const Report& report)
      : pattern_(pattern),
        at_(at),
        begin_(at),
        is_in_class_(is_in_class),
        flags_(flags),
        report_(report) {}

  std::optional<Escape> read() {
    ++at_;
    if (at_ >= pattern_.size()) {
      return refuse("bad_regex", "the pattern ends in a backslash",
                    "a backslash itself is written \\\\");
    }
    const char letter = pattern_[at_];
    const auto whole = decode_utf8(pattern_, at_);
    at_ += whole ? whole->n_bytes : 1;
    switch (letter) {
      case 'n': return one('\n');
      case 'r': return one('\r');
      case 't': return one('\t');
      case 'v': return one('\v');
      case 'f': return one('\f');
      case 'd': return of(decimals());
      case 'D': return of(complement(decimals()));
      case 's': return of(blanks());
      case 'S': return of(complement(blanks()));
      case 'w': return of(words());
      case 'W': return of(complement(words()));
      case 'p':
      case 'P': return read_property(letter == 'P');
      case 'x': return read_hex(2, "\\x41");
      case 'u': return read_u();
      case 'c': return read_control();
      case '0': return read_null();
      case 'b':
        if (is_in_class_) return one('\b');
        break;
      default: break;
    }
    if (is_ascii_digit(letter)) return read_backreference();
    if (is_ascii_letter(letter)) return refuse_letter(letter);
    return one(whole ? whole->code_point : 0xFFFD);
  }

 private:
  std::optional<Escape> one(uint32_t code_point) const { return Escape{false, code_point, {}}; }
  std::optional<Escape> of(CodePointSet set) const { return Escape{true, 0, std::move(set)}; }
  CodePointSet decimals() const { return flags_.is_python ? python_digits() : digits(); }
  CodePointSet blanks() const { return flags_.is_python ? python_spaces() : spaces(); }
  CodePointSet words() const {
    if (flags_.is_python) return python_word_characters();
    return flags_.ignore_case ? with_other_cases(word_characters()) : word_characters();
  }

  std::optional<Escape> refuse(const char* code, std::string message, std::string hint) {
    report_(code, std::move(message), {begin_, at_}, std::move(hint));
    return std::nullopt;
  }
  std::string shown() const { return quoted(pattern_.substr(begin_, at_ - begin_)); }

  std::optional<uint32_t> hex(uint32_t n_digits) {
    uint32_t value = 0;
    for (uint32_t i = 0; i < n_digits; ++i) {
      const auto digit = at_ < pattern_.size() ? hex_digit(pattern_[at_]) : std::nullopt;
      if (!digit) return std::nullopt;
      value = value * 16 + *digit;
      ++at_;
    }
    return value;
  }

  std::optional<Escape> read_hex(uint32_t n_digits, const char* example) {
    if (const auto value = hex(n_digits)) return one(*value);
    return refuse("bad_regex",
                  concat("escape ", shown(), " needs ", n_digits, " hexadecimal digits"),
                  concat("write for example ", example));
  }

  std::optional<Escape> read_u() {
    if (at_ < pattern_.size() && pattern_[at_] == '{') return read_braced();
    const auto escape = read_hex(4, "\\u00e9");
    if (!escape) return escape;
    const uint32_t high = escape->code_point;
    constexpr uint32_t kFirstLow = 0xDC00;
    if (high < kFirstSurrogate || high >= kFirstLow || pattern_.substr(at_, 2) != "\\u")
      return escape;
    const uint32_t before = at_;
    at_ += 2;
    const auto low = hex(4);
    if (low && *low >= kFirstLow && *low <= kLastSurrogate) {
      return one(0x10000 + ((high - kFirstSurrogate) << 10) + (*low - kFirstLow));
    }
    at_ = before;
    return escape;
  }

  std::optional<Escape> read_braced() {
    uint64_t value = 0;
    const uint32_t first = ++at_;
    for (; at_ < pattern_.size() && hex_digit(pattern_[at_]); ++at_) {
      value =
          std::min<uint64_t>(value * 16 + *hex_digit(pattern_[at_]), uint64_t{kMaxCodePoint} + 1);
    }
    const bool is_closed = at_ < pattern_.size() && pattern_[at_] == '}';
    const bool has_digits = at_ > first;
    if (is_closed) ++at_;
    if (!is_closed || !has_digits) {
      return refuse("bad_regex", "escape " + shown() + " is not \\u{...} with hexadecimal digits",
                    "write for example \\u{1F600}");
    }
    if (value > kMaxCodePoint) {
      return refuse("bad_regex", "escape " + shown() + " is beyond the last code point, U+10FFFF",
                    "write a code point from \\u{0} to \\u{10FFFF}");
    }
    return one(static_cast<uint32_t>(value));
  }

  std::optional<Escape> read_control() {
    if (at_ < pattern_.size() && is_ascii_letter(pattern_[at_])) {
      return one(static_cast<uint32_t>(pattern_[at_++]) % 32);
    }
    return refuse("bad_regex", "escape \\c needs a letter", "write for example \\cJ, or \\x0A");
  }

  std::optional<Escape> read_null() {
    if (at_ >= pattern_.size() || !is_ascii_digit(pattern_[at_])) return one(0);
    while (at_ < pattern_.size() && is_ascii_digit(pattern_[at_])) ++at_;
    return refuse("unsupported_regex", "octal escape " + shown() + " is not supported",
                  "write the code point as \\xHH or \\u{...}");
  }

  std::optional<Escape> read_backreference() {
    while (at_ < pattern_.size() && is_ascii_digit(pattern_[at_])) ++at_;
    if (is_in_class_) {
      return refuse("unsupported_regex", "octal escape " + shown() + " is not supported",
                    "write the code point as \\xHH or \\u{...}");
    }
    return refuse("unsupported_regex", "backreference " + shown() + " is not supported",
                  "no grammar can compare two texts; write the group's alternatives out");
  }

  std::optional<Escape> read_property(bool is_negated) {
    std::string_view words;
    if (at_ < pattern_.size() && pattern_[at_] == '{') {
      const size_t end = pattern_.find('}', at_);
      if (end == std::string_view::npos) {
        return refuse("bad_regex", "property " + shown() + " is not closed", "add }");
      }
      words = pattern_.substr(at_ + 1, end - at_ - 1);
      at_ = static_cast<uint32_t>(end + 1);
    } else if (at_ < pattern_.size() && is_ascii_letter(pattern_[at_])) {
      words = pattern_.substr(at_++, 1);
    } else {
      return refuse("bad_regex", "property " + shown() + " has no name",
                    "write for example \\p{L}");
    }
    if (auto set = property(words)) return of(is_negated ? complement(*set) : std::move(*set));
    const auto near = property_like(words);
    return refuse(
        "unsupported_regex", "Unicode property " + quoted(words) + " is not supported",
        near ? "did you mean \\p{" + *near + "}?"
             : "there are general categories (\\p{Lu}), scripts (\\p{Script=Greek}) and binary "
               "properties such as \\p{Alphabetic}");
  }

  std::optional<Escape> refuse_letter(char letter) {
    if (letter == 'k') {
      return refuse("unsupported_regex", "backreference \\k is not supported",
                    "no grammar can compare two texts; write the group's alternatives out");
    }
    const char* hint =
        "a backslash goes before punctuation, or one of d D w W s S b B p P n r t v f c x u 0";
    if (letter == 'a' || letter == 'e') hint = "write the control character as \\x07 or \\x1B";
    if (letter == 'Q' || letter == 'E') hint = "write a backslash before each special character";
    if (letter == 'h') hint = "write [\\t\\p{Zs}]";
    if (letter == 'R') hint = "write (?:\\r\\n|[\\n\\v\\f\\r\\u0085\\u2028\\u2029])";
    return refuse("unsupported_regex", "escape " + shown() + " is not supported", hint);
  }

  std::string_view pattern_;
  uint32_t& at_;
  uint32_t begin_;
  bool is_in_class_;
  Flags flags_;
  const Report& report_;
};

}  // namespace

std::optional<Escape> read_escape(std::string_view pattern, uint32_t& at, bool is_in_class,
                                  Flags flags, const Report& report) {
  return EscapeReader(pattern, at, is_in_class, flags, report).read();
}

}  // namespace xg2lab::regex
