// Read: one reader for each kind of value, in the order of the header.
#include "frontends/lark/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "frontends/ebnf/lexeme_values.h"
#include "languages/regex/unicode.h"
#include "support/text.h"
#include "support/utf8.h"

namespace xg2lab::lark {
namespace {

constexpr int kMostNumber = 2147483647;
constexpr size_t kMostTokenIds = size_t{1} << 20;

std::optional<uint32_t> hex(std::string_view digits, size_t n_digits) {
  uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + std::min(digits.size(), n_digits), value, 16);
  const bool is_whole = error == std::errc() && end == digits.data() + n_digits;
  return is_whole ? std::optional(value) : std::nullopt;
}

// The number of hexadecimal digits after the letter of an escape; 0: not such an escape.
size_t n_hex_digits(char letter) {
  switch (letter) {
    case 'x': return 2;
    case 'u': return 4;
    case 'U': return 8;
    default: return 0;
  }
}

// ---- Texts ----

// Appends the escape at `at` of a text, and moves `at` behind it.
void append_escape(std::string& out, std::string_view text, size_t& at, SourceSpan span,
                   const Reading& reading) {
  const char letter = text[at + 1];
  const size_t begin = at;
  at += 2;
  switch (letter) {
    case 'n': out += '\n'; return;
    case 't': out += '\t'; return;
    case 'r': out += '\r'; return;
    case 'f': out += '\f'; return;
    case '\\':
    case '"': out += letter; return;
    default: break;
  }
  const size_t n_digits = n_hex_digits(letter);
  if (n_digits == 0) {
    out += '\\';
    out += letter;
    return;
  }
  const auto value = hex(text.substr(at), n_digits);
  if (!value || !is_scalar_value(*value)) {
    const auto from = static_cast<uint32_t>(span.begin + begin);
    reading.report("bad_escape", "this escape is not a code point", {from, from + 2},
                   "write \\xHH, \\uHHHH or \\UHHHHHHHH with hexadecimal digits");
    return;
  }
  at += n_digits;
  append_utf8(out, *value);
}

// ---- Patterns ----

// With flag x, spaces and comments outside of classes are ignored.
class PatternReader {
 public:
  PatternReader(std::string_view words, uint32_t offset, bool is_verbose)
      : words_(words), offset_(offset), is_verbose_(is_verbose) {}

  void read(Node& node) {
    while (at_ < words_.size()) {
      const char here = words_[at_];
      if (here == '\\') {
        read_escape();
      } else if (is_verbose_ && !is_in_class_ && (here == ' ' || (here >= '\t' && here <= '\r'))) {
        ++at_;
      } else if (is_verbose_ && !is_in_class_ && here == '#') {
        while (at_ < words_.size() && words_[at_] != '\n') ++at_;
      } else {
        if (here == '[') is_in_class_ = true;
        if (here == ']') is_in_class_ = false;
        keep(1);
      }
    }
    node.text = std::move(text_);
    node.positions = std::move(positions_);
    node.positions.push_back(offset_ + static_cast<uint32_t>(words_.size()));
  }

 private:
  void keep(size_t n_bytes) {
    for (; n_bytes > 0 && at_ < words_.size(); --n_bytes) {
      text_ += words_[at_];
      positions_.push_back(offset_ + static_cast<uint32_t>(at_++));
    }
  }
  // Translates \UHHHHHHHH to \u{HHHHHHHH}; the pattern parser reads all other escapes.
  void read_escape() {
    const bool is_long = at_ + 1 < words_.size() && words_[at_ + 1] == 'U' &&
                         hex(words_.substr(at_ + 2), 8).has_value();
    if (!is_long) return keep(2);
    const std::string written = concat("\\u{", words_.substr(at_ + 2, 8), "}");
    for (const char byte : written) {
      text_ += byte;
      positions_.push_back(offset_ + static_cast<uint32_t>(at_));
    }
    at_ += 10;
  }

  std::string_view words_;
  uint32_t offset_;
  bool is_verbose_;
  size_t at_ = 0;
  bool is_in_class_ = false;
  std::string text_;
  std::vector<uint32_t> positions_;
};

// ---- Ids ----

// Adds "5", "5-7" or, in `<[*]>`, "*". Returns false for other text.
bool add_ids(std::string_view words, TokenSet& set) {
  const size_t hyphen = words.find('-');
  const auto number = [](std::string_view digits) -> std::optional<uint32_t> {
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool is_one = !digits.empty() && error == std::errc() &&
                        end == digits.data() + digits.size() && value <= ebnf::kMostTokenId;
    return is_one ? std::optional(value) : std::nullopt;
  };
  const auto first = number(words.substr(0, hyphen));
  const auto last = hyphen == std::string_view::npos ? first : number(words.substr(hyphen + 1));
  if (!first || !last || *last < *first) return false;
  if (*last - *first >= kMostTokenIds - std::min(kMostTokenIds, set.ids.size())) return false;
  for (uint32_t id = *first; id <= *last; ++id) set.ids.emplace_back(id);
  return true;
}

// ---- Substrings ----

constexpr const char* kSubstringHint =
    "there are {\"substring_words\": \"...\"}, {\"substring_chars\": \"...\"} and "
    "{\"substring_chunks\": [\"...\", \"...\"]}";

// Reads the strings of an object with one entry; the key comes first.
class StringsReader {
 public:
  StringsReader(const Reading& reading, SourceSpan braces)
      : reading_(reading), text_(reading.text()), at_(braces.begin + 1), end_(braces.end - 1) {}

  // Nothing if the text is not such an object.
  std::optional<std::vector<std::string>> read() {
    std::vector<std::string> strings;
    if (!add_string(strings) || !take(':')) return std::nullopt;
    const bool is_list = take('[');
    if (is_list && !take(']')) {
      do {
        if (!add_string(strings)) return std::nullopt;
      } while (take(','));
      if (!take(']')) return std::nullopt;
    }
    if (!is_list && !add_string(strings)) return std::nullopt;
    skip_spaces();
    return at_ == end_ ? std::optional(std::move(strings)) : std::nullopt;
  }

 private:
  void skip_spaces() {
    constexpr std::string_view kSpaces = " \t\r\n";
    while (at_ < end_ && kSpaces.find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(char mark) {
    skip_spaces();
    if (at_ >= end_ || text_[at_] != mark) return false;
    ++at_;
    return true;
  }
  bool add_string(std::vector<std::string>& strings) {
    skip_spaces();
    const uint32_t begin = at_;
    if (!take('"')) return false;
    while (at_ < end_ && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (!take('"')) return false;
    Findings mistakes(1);
    const ebnf::Lexeme literal{ebnf::LexemeKind::kLiteral, {begin, at_}};
    strings.push_back(ebnf::read_literal(text_, literal, mistakes));
    if (mistakes.is_empty()) return true;
    reading_.report("bad_escape", "this string is not JSON", literal.span,
                    "the escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uHHHH");
    return true;
  }

  const Reading& reading_;
  std::string_view text_;
  uint32_t at_;
  uint32_t end_;
};

// Maximal runs of word characters, of spaces, and of other characters.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  int last = -1;
  for (size_t at = 0; at < text.size();) {
    const auto here = decode_utf8(text, at);
    const uint32_t code_point = here ? here->code_point : 0xFFFD;
    int kind = 2;
    if (contains(regex::python_word_characters(), code_point)) kind = 0;
    else if (contains(regex::python_spaces(), code_point)) kind = 1;
    if (kind != last) words.emplace_back();
    last = kind;
    append_utf8(words.back(), code_point);
    at += here ? here->n_bytes : 1;
  }
  return words;
}

std::vector<std::string> characters_of(std::string_view text) {
  std::vector<std::string> characters;
  for (size_t at = 0; at < text.size();) {
    const auto here = decode_utf8(text, at);
    const size_t n_bytes = here ? here->n_bytes : 1;
    characters.emplace_back(text.substr(at, n_bytes));
    at += n_bytes;
  }
  return characters;
}

}  // namespace

Node read_text(const Reading& reading, SourceSpan span) {
  Node node;
  node.kind = NodeKind::kText;
  node.span = reading.in_grammar(span);
  std::string_view words = reading.words(span);
  node.ignores_case = words.back() == 'i';
  words = words.substr(0, words.size() - (node.ignores_case ? 1 : 0));
  for (size_t at = 1; at + 1 < words.size();) {
    if (words[at] == '\\' && at + 2 < words.size()) {
      append_escape(node.text, words, at, span, reading);
    } else {
      node.text += words[at++];
    }
  }
  return node;
}

Node read_pattern(const Reading& reading, SourceSpan span) {
  Node node;
  node.kind = NodeKind::kPattern;
  node.span = reading.in_grammar(span);
  const std::string_view words = reading.words(span);
  const size_t end = words.rfind('/');
  const std::string_view flags = words.substr(end + 1);
  const bool is_verbose = flags.find('x') != std::string_view::npos;
  for (const char flag : flags) {
    if (flag != 'x') node.flags += flag;
  }
  PatternReader(words.substr(1, end - 1), span.begin + 1, is_verbose).read(node);
  if (reading.is_imported()) node.positions.clear();
  return node;
}

TokenSet read_token_ids(const Reading& reading, SourceSpan span) {
  TokenSet set;
  std::string_view words = reading.words(span);
  words = words.substr(2, words.size() - 2);  // skips <[
  const size_t n_closing = words.size() >= 2 && words.substr(words.size() - 2) == "]>" ? 2 : 0;
  bool is_well = n_closing == 2;
  words = words.substr(0, words.size() - n_closing);
  if (words == "*") return {{}, true};
  if (words.substr(0, 1) == "^") {
    set.is_negated = true;
    words.remove_prefix(1);
  }
  while (is_well) {
    const size_t comma = words.find(',');
    is_well = add_ids(words.substr(0, comma), set);
    if (comma == std::string_view::npos) break;
    words.remove_prefix(comma + 1);
  }
  if (!is_well) {
    reading.report("bad_token_id", quoted(reading.words(span)) + " names no tokens", span,
                   "write ids and ranges of them, for example <[5]>, <[5-7,9]> or <[^5]>");
    return {{}, true};
  }
  return set;
}

Node read_substring(const Reading& reading, SourceSpan braces, SourceSpan directive) {
  Node node;
  node.kind = NodeKind::kSubstring;
  node.span = reading.in_grammar(directive);
  auto strings = StringsReader(reading, braces).read();
  const auto refuse = [&] {
    reading.report("unsupported_structured_regex", "%regex with these braces is not supported",
                   directive, kSubstringHint);
    return node;
  };
  if (!strings) return refuse();
  const std::string key = strings->front();
  const bool is_list = key == "substring_chunks";
  if (is_list) node.chunks.assign(strings->begin() + 1, strings->end());
  else if (strings->size() != 2) return refuse();
  else if (key == "substring_words") node.chunks = words_of(strings->back());
  else if (key == "substring_chars") node.chunks = characters_of(strings->back());
  else return refuse();
  return node;
}

int read_number(std::string_view words) {
  int value = 0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), value);
  if (error == std::errc::result_out_of_range) return words[0] == '-' ? -kMostNumber : kMostNumber;
  return value;
}

}  // namespace xg2lab::lark
