// Escapes, then the three readers.
// Read: CharacterReader::next (one code point, escaped or not), then read_literal, read_class,
// read_bounds. The trick: the two halves of a UTF-16 surrogate pair, each written \uXXXX, are
// joined here, because text that passed through JSON or JavaScript contains such pairs.
#include "frontends/ebnf/lexeme_values.h"

#include <algorithm>

#include "support/bounds.h"
#include "support/text.h"
#include "support/utf8.h"

namespace xg2lab::ebnf {
namespace {

constexpr const char* kEscapesHint =
    "escapes are \\n \\r \\t \\b \\f \\a \\v \\0 \\e \\\\ \\\" \\' \\/ \\? \\[ \\] \\- \\^ \\xHH "
    "\\uXXXX "
    "\\UXXXXXXXX; a backslash is \\\\";

// ---- Escapes ----

std::optional<uint32_t> named_escape(char letter) {
  switch (letter) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'a': return '\a';
    case 'v': return '\v';
    case '0': return '\0';
    case 'e': return 0x1B;
    default: break;
  }
  constexpr std::string_view kThemselves = "\\\"'/?[]-^";
  if (kThemselves.find(letter) == std::string_view::npos) return std::nullopt;
  return static_cast<uint32_t>(letter);
}

std::optional<uint32_t> hex_digit(char byte) {
  if (byte >= '0' && byte <= '9') return static_cast<uint32_t>(byte - '0');
  if (byte >= 'a' && byte <= 'f') return static_cast<uint32_t>(byte - 'a' + 10);
  if (byte >= 'A' && byte <= 'F') return static_cast<uint32_t>(byte - 'A' + 10);
  return std::nullopt;
}

struct Character {
  uint32_t code_point = 0;
  bool is_escaped = false;
  SourceSpan span;
};

// Reads the characters between two offsets of the text, one at a time.
class CharacterReader {
 public:
  CharacterReader(std::string_view text, uint32_t begin, uint32_t end, Findings& findings)
      : text_(text), at_(begin), end_(end), findings_(findings) {}

  bool is_at_end() const { return at_ >= end_; }
  uint32_t at() const { return at_; }
  // Whether an unescaped '-' and another character follow.
  bool is_at_range() const { return at_ + 1 < end_ && text_[at_] == '-'; }
  void skip_hyphen() { ++at_; }

  // Nothing if there is a mistake, which is reported.
  std::optional<Character> next() {
    const uint32_t begin = at_;
    if (text_[at_] == '\\') {
      const auto code_point = escape();
      if (!code_point) return std::nullopt;
      return Character{*code_point, true, {begin, at_}};
    }
    const auto plain = decode_utf8(text_, at_);
    at_ += plain ? plain->n_bytes : 1;
    return Character{plain ? plain->code_point : 0, false, {begin, at_}};
  }

 private:
  std::optional<uint32_t> escape() {
    const uint32_t begin = at_++;  // past the backslash
    const char letter = at_ < end_ ? text_[at_] : '\0';
    if (at_ < end_) ++at_;
    switch (letter) {
      case 'x': return hex_escape(begin, 2);
      case 'u': return hex_escape(begin, 4);
      case 'U': return hex_escape(begin, 8);
      default: break;
    }
    if (const auto code_point = named_escape(letter)) return code_point;
    if (static_cast<unsigned char>(letter) >= 0x80) {  // skips all bytes of the character
      if (const auto whole = decode_utf8(text_, at_ - 1)) at_ += whole->n_bytes - 1;
    }
    const SourceSpan span{begin, at_};
    findings_.report("bad_escape", "unknown escape " + quoted(text_.substr(begin, at_ - begin)),
                     span, kEscapesHint);
    return std::nullopt;
  }

  // Reads up to n_digits hexadecimal digits; nothing if there are fewer.
  std::optional<uint32_t> hex_digits(uint32_t n_digits) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < n_digits; ++i, ++at_) {
      const auto digit = at_ < end_ ? hex_digit(text_[at_]) : std::nullopt;
      if (!digit) return std::nullopt;
      value = value * 16 + *digit;
    }
    return static_cast<uint32_t>(value);
  }

  std::optional<uint32_t> hex_escape(uint32_t begin, uint32_t n_digits) {
    const auto value = hex_digits(n_digits);
    const SourceSpan span{begin, at_};
    const std::string shown = quoted(text_.substr(begin, at_ - begin));
    if (!value) {
      findings_.report("bad_escape",
                       concat("escape ", shown, " needs ", n_digits, " hexadecimal digits"), span,
                       "write for example \\x0A, \\u000A or \\U0000000A");
      return std::nullopt;
    }
    if (*value > kMaxCodePoint) {
      findings_.report("bad_escape", "escape " + shown + " is beyond the last code point, U+10FFFF",
                       span, "write a code point from \\U00000000 to \\U0010FFFF");
      return std::nullopt;
    }
    if (!is_surrogate(*value)) return value;
    if (n_digits == 4) {
      if (const auto joined = join_surrogates(*value)) return joined;
    }
    findings_.report("surrogate",
                     "escape " + shown + " is half of a surrogate pair, not a character", span,
                     "write the character itself, or its code point as \\UXXXXXXXX");
    return std::nullopt;
  }

  // Joins \uD83D\uDE00 to U+1F600. Reads nothing and returns nothing if no second half follows.
  std::optional<uint32_t> join_surrogates(uint32_t high) {
    constexpr uint32_t kFirstLow = 0xDC00;
    if (high >= kFirstLow || text_.substr(at_, 2) != "\\u") return std::nullopt;
    const uint32_t before = at_;
    at_ += 2;
    const auto low = hex_digits(4);
    if (low && *low >= kFirstLow && *low <= kLastSurrogate) {
      return 0x10000 + ((high - kFirstSurrogate) << 10) + (*low - kFirstLow);
    }
    at_ = before;
    return std::nullopt;
  }

  std::string_view text_;
  uint32_t at_;
  uint32_t end_;
  Findings& findings_;
};

// ---- Bounds ----

struct Number {
  uint64_t value = 0;
  bool is_present = false;
};

constexpr uint64_t kTooLarge = uint64_t{kMostRepetitions} + 1;

// Saturates at kTooLarge.
Number read_number(std::string_view text, size_t& at) {
  Number number;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    number.is_present = true;
    number.value = std::min(number.value * 10 + static_cast<uint64_t>(text[at] - '0'), kTooLarge);
  }
  return number;
}

void skip_blanks(std::string_view text, size_t& at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
}

}  // namespace

// ---- The three readers ----

std::string read_literal(std::string_view text, const Lexeme& lexeme, Findings& findings) {
  std::string bytes;
  CharacterReader reader(text, lexeme.span.begin + 1, lexeme.span.end - 1, findings);
  while (!reader.is_at_end()) {
    if (const auto character = reader.next()) append_utf8(bytes, character->code_point);
  }
  return bytes;
}

std::vector<uint32_t> positions_in_literal(std::string_view text, SourceSpan literal) {
  Findings findings(1);
  std::vector<uint32_t> places;
  CharacterReader reader(text, literal.begin + 1, literal.end - 1, findings);
  while (!reader.is_at_end()) {
    const auto character = reader.next();
    if (!character) continue;
    std::string bytes;
    append_utf8(bytes, character->code_point);
    places.insert(places.end(), bytes.size(), character->span.begin);
  }
  places.push_back(literal.end - 1);
  return places;
}

std::vector<CodePointRange> read_class(std::string_view text, const Lexeme& lexeme,
                                       Findings& findings) {
  uint32_t begin = lexeme.span.begin + 1;
  const bool is_negated = text[begin] == '^';
  if (is_negated) ++begin;
  std::vector<CodePointRange> ranges;
  CharacterReader reader(text, begin, lexeme.span.end - 1, findings);
  while (!reader.is_at_end()) {
    const auto lo = reader.next();
    auto hi = lo;
    if (reader.is_at_range()) {
      reader.skip_hyphen();
      hi = reader.next();
    }
    if (!lo || !hi) continue;
    if (hi->code_point < lo->code_point) {
      const auto written = [text](SourceSpan span) {
        return std::string(text.substr(span.begin, span.end - span.begin));
      };
      const SourceSpan span{lo->span.begin, hi->span.end};
      findings.report("reversed_range", "range " + quoted(written(span)) + " runs backwards", span,
                      "write " + written(hi->span) + "-" + written(lo->span));
      continue;
    }
    ranges.push_back({lo->code_point, hi->code_point});
  }
  return is_negated ? complement(ranges) : ranges;
}

std::optional<Bounds> read_bounds(std::string_view text, const Lexeme& lexeme, Findings& findings) {
  const std::string_view written =
      text.substr(lexeme.span.begin, lexeme.span.end - lexeme.span.begin);
  if (written == "*") return Bounds{0, kNoUpperBound};
  if (written == "+") return Bounds{1, kNoUpperBound};
  if (written == "?") return Bounds{0, 1};

  size_t at = 1;
  skip_blanks(written, at);
  const Number min = read_number(written, at);
  skip_blanks(written, at);
  const bool has_comma = written[at] == ',';
  if (has_comma) ++at;
  skip_blanks(written, at);
  const Number max = has_comma ? read_number(written, at) : min;
  skip_blanks(written, at);

  const auto refuse = [&](std::string message, std::string hint) {
    findings.report("bad_repetition", std::move(message), lexeme.span, std::move(hint));
    return std::nullopt;
  };
  if (written[at] != '}' || (!min.is_present && !max.is_present)) {
    return refuse("repetition " + quoted(written) + " is not {n}, {n,}, {,m} or {n,m}",
                  "write for example {2}, {2,}, {,5} or {2,5}");
  }
  if (min.value == kTooLarge || max.value == kTooLarge) {
    return refuse(concat("repetition ", quoted(written), " requires more than ", kMostRepetitions),
                  "for no limit leave the upper bound out: {n,}");
  }
  if (max.is_present && max.value < min.value) {
    const std::string lo = std::to_string(max.value);
    const std::string hi = std::to_string(min.value);
    return refuse(
        "repetition {" + hi + "," + lo + "} requires at least " + hi + " and at most " + lo,
        "write {" + lo + "," + hi + "}");
  }
  return Bounds{static_cast<uint32_t>(min.value),
                max.is_present ? static_cast<uint32_t>(max.value) : kNoUpperBound};
}

std::optional<TokenId> read_token_id(std::string_view digits, SourceSpan span, Findings& findings) {
  uint64_t id = 0;
  for (char digit : digits)
    id = std::min<uint64_t>(10 * id + static_cast<uint64_t>(digit - '0'), uint64_t{1} << 32);
  if (id <= kMostTokenId) return TokenId(static_cast<uint32_t>(id));
  findings.report("bad_token_id", "token id " + quoted(digits) + " is too large", span,
                  "ids are smaller than the vocabulary");
  return std::nullopt;
}

std::optional<TokenSet> read_token(std::string_view text, const Lexeme& lexeme,
                                   Findings& findings) {
  const bool is_negated = text[lexeme.span.begin] == '!';
  const SourceSpan digits{lexeme.span.begin + (is_negated ? 3u : 2u), lexeme.span.end - 2};
  const auto id =
      read_token_id(text.substr(digits.begin, digits.end - digits.begin), digits, findings);
  if (!id) return std::nullopt;
  return TokenSet{{*id}, is_negated};
}

}  // namespace xg2lab::ebnf
