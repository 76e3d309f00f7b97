// One pass over the text, one lexeme at a time.
// Read: Lexer::next, read, then the readers in the order in which it names them.
#include "frontends/lark/lexer.h"

#include <algorithm>
#include <string>

#include "support/lexemes.h"
#include "support/utf8.h"

namespace xg2lab::lark {
namespace {

bool is_letter(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}
bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
bool is_word(char byte) { return is_letter(byte) || is_digit(byte); }
bool is_space(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
  }

  Lexeme next() {
    const bool is_first = skip_spaces() || at_ == 0 || begins_text_;
    begins_text_ = false;
    const size_t begin = at_;
    const LexemeKind kind = begin == text_.size() ? LexemeKind::kEnd : read();
    const Lexeme lexeme{kind, is_first, {static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)}};
    const std::string_view words = text_.substr(begin, at_ - begin);
    wants_braces_ = kind == LexemeKind::kDirective &&
                    (words == "%json" || words == "%regex" || words == "%llguidance");
    return lexeme;
  }

 private:
  char byte(size_t n_ahead = 0) const {
    return at_ + n_ahead < text_.size() ? text_[at_ + n_ahead] : '\0';
  }
  bool starts_with(std::string_view words) const {
    return text_.substr(at_, words.size()) == words;
  }
  LexemeKind take(size_t n_bytes, LexemeKind kind) {
    at_ += n_bytes;
    return kind;
  }

  // Skips spaces and comments; returns whether there was a line break.
  bool skip_spaces() {
    bool breaks = false;
    while (at_ < text_.size()) {
      if (byte() == '#' || starts_with("//")) {
        while (at_ < text_.size() && byte() != '\n') ++at_;
      } else if (is_space(byte())) {
        breaks = breaks || byte() == '\n';
        ++at_;
      } else {
        break;
      }
    }
    return breaks;
  }

  LexemeKind read() {
    if (wants_braces_ && byte() == '{') return read_braced();
    if (is_letter(byte())) return read_name();
    if (is_digit(byte()) || (byte() == '-' && is_digit(byte(1)))) return read_number();
    if (starts_with("->")) return take(2, LexemeKind::kArrow);
    if (starts_with("..")) return take(2, LexemeKind::kDots);
    switch (byte()) {
      case '"': return read_text();
      case '/': return read_pattern();
      case '%': return read_directive();
      case '<': return read_special();
      case '@': return read_grammar();
      case ':': return take(1, LexemeKind::kColon);
      case '|': return take(1, LexemeKind::kBar);
      case '&': return take(1, LexemeKind::kAnd);
      case '~': return take(1, LexemeKind::kTilde);
      case '.': return take(1, LexemeKind::kDot);
      case ',': return take(1, LexemeKind::kComma);
      case '*':
      case '+':
      case '?': return take(1, LexemeKind::kRepeat);
      case '!': return take(1, LexemeKind::kMark);
      case '(': return take(1, LexemeKind::kOpen);
      case ')': return take(1, LexemeKind::kClose);
      case '[': return take(1, LexemeKind::kOpenMaybe);
      case ']': return take(1, LexemeKind::kCloseMaybe);
      case '{': return take(1, LexemeKind::kOpenBrace);
      case '}': return take(1, LexemeKind::kCloseBrace);
      default: break;
    }
    const auto here = decode_utf8(text_, at_);
    return take(here ? here->n_bytes : 1, LexemeKind::kUnknown);
  }

  // A hyphen belongs to a name if a letter or digit follows; "->" is an arrow.
  LexemeKind read_name() {
    while (is_word(byte()) || (byte() == '-' && is_word(byte(1)))) ++at_;
    return LexemeKind::kName;
  }

  LexemeKind read_number() {
    ++at_;
    while (is_digit(byte())) ++at_;
    return LexemeKind::kNumber;
  }

  LexemeKind read_text() {
    for (++at_; at_ < text_.size() && byte() != '\n'; ++at_) {
      if (byte() == '"') {
        ++at_;
        if (byte() == 'i' && !is_word(byte(1))) ++at_;
        return LexemeKind::kText;
      }
      if (byte() == '\\' && byte(1) != '\n' && at_ + 1 < text_.size()) ++at_;
    }
    return LexemeKind::kUnterminatedText;
  }

  // Reads up to the first unescaped `/`. Only a pattern with flag x spans lines, so that a mistake
  // in one line doesn't affect the next.
  LexemeKind read_pattern() {
    const size_t end_of_line = std::min(text_.find('\n', at_), text_.size());
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '/') end += text_[end] == '\\' ? 2 : 1;
    if (end < text_.size()) {
      size_t after = end + 1;
      while (after < text_.size() && is_letter(text_[after])) ++after;
      const std::string_view flags = text_.substr(end + 1, after - end - 1);
      if (end < end_of_line || flags.find('x') != std::string_view::npos) {
        at_ = after;
        return LexemeKind::kPattern;
      }
    }
    at_ = end_of_line;
    return LexemeKind::kUnterminatedPattern;
  }

  LexemeKind read_directive() {
    ++at_;
    while (is_word(byte())) ++at_;
    return LexemeKind::kDirective;
  }

  LexemeKind read_special() {
    const size_t end = text_.find_first_of(">\n", at_);
    if (end == std::string_view::npos || text_[end] == '\n' || end == at_ + 1) {
      return take(1, LexemeKind::kUnknown);
    }
    at_ = end + 1;
    return LexemeKind::kSpecial;
  }

  LexemeKind read_grammar() {
    ++at_;
    while (is_word(byte()) || (byte() == '-' && is_word(byte(1)))) ++at_;
    return LexemeKind::kGrammar;
  }

  // Matches braces as JSON does, ignoring those in strings.
  LexemeKind read_braced() {
    if (n_unclosed_ >= kMostUnclosed) return take(1, LexemeKind::kUnterminatedBraces);
    size_t depth = 0;
    bool is_quoted = false;
    for (size_t at = at_; at < text_.size(); ++at) {
      const char here = text_[at];
      if (is_quoted && here == '\\') ++at;
      else if (here == '"') is_quoted = !is_quoted;
      else if (here == '{' && !is_quoted) ++depth;
      else if (here == '}' && !is_quoted && --depth == 0) {
        at_ = at + 1;
        return LexemeKind::kBraced;
      }
    }
    ++n_unclosed_;
    return take(1, LexemeKind::kUnterminatedBraces);
  }

  std::string_view text_;
  size_t at_ = 0;
  bool begins_text_ = true;
  bool wants_braces_ = false;
  static constexpr size_t kMostUnclosed = 10;  // searches up to the end of the text
  size_t n_unclosed_ = 0;
};

}  // namespace

std::vector<Lexeme> read_lexemes(std::string_view text) {
  return all_lexemes<Lexer>(text, kLookahead);
}

}  // namespace xg2lab::lark
