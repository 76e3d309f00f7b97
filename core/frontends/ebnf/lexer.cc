// One pass over the text, one lexeme at a time.
// Read: Lexer::next, then the readers in the order in which it names them.
// The trick: characters that can't begin a lexeme still become one (kUnknown), so that the parser
// alone decides which message to give and where to continue.
#include "frontends/ebnf/lexer.h"

#include <algorithm>
#include <string>

#include "support/lexemes.h"
#include "support/utf8.h"

namespace xg2lab::ebnf {
namespace {

bool is_ascii_space(char byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r') || (byte >= 0x1C && byte <= 0x1F);
}

bool is_unicode_space(uint32_t c) {
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_line_end(char byte) { return byte == '\n' || byte == '\r'; }

class Lexer {
 public:
  Lexer(std::string_view text, Dialect dialect) : text_(text), dialect_(dialect) {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
  }

  Lexeme next() {
    skip_spaces();
    const size_t begin = at_;
    const LexemeKind kind = begin == text_.size() ? LexemeKind::kEnd : read();
    return {kind, {static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)}};
  }

 private:
  char byte() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool starts_with(std::string_view prefix) const {
    return text_.substr(at_, prefix.size()) == prefix;
  }
  // The length in bytes of the name character here; 0: none.
  uint32_t name_character() const {
    const auto here = decode_utf8(text_, at_);
    return here && is_name_character(here->code_point) ? here->n_bytes : 0;
  }
  // The length in bytes of the space here; 0: none.
  uint32_t space() const {
    if (at_ < text_.size() && is_ascii_space(text_[at_])) return 1;
    const auto here = decode_utf8(text_, at_);
    return here && is_unicode_space(here->code_point) ? here->n_bytes : 0;
  }

  void skip_spaces() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        while (at_ < text_.size() && !is_line_end(text_[at_])) ++at_;
      } else if (const uint32_t n_bytes = space()) {
        at_ += n_bytes;
      } else {
        return;
      }
    }
  }

  LexemeKind read() {
    switch (byte()) {
      case '"':
      case '\'': return read_quoted(byte(), LexemeKind::kLiteral, LexemeKind::kUnterminatedLiteral);
      case '[':
        if (const size_t end = end_of_options()) return read_mark(end - at_, LexemeKind::kOptions);
        return read_quoted(']', LexemeKind::kClass, LexemeKind::kUnterminatedClass);
      case '*':
      case '+':
      case '?': return read_mark(1, LexemeKind::kRepeat);
      case '{': return read_bounds();
      case '(':
        return starts_with("(=") ? read_mark(2, LexemeKind::kOpenLookahead)
                                 : read_mark(1, LexemeKind::kOpen);
      case ')': return read_mark(1, LexemeKind::kClose);
      case '|': return read_mark(1, LexemeKind::kBar);
      default: break;
    }
    if (starts_with("::=")) return read_mark(3, LexemeKind::kDefine);
    if (name_character() > 0) return read_name();
    if (const size_t n_bytes = token_reference()) return read_mark(n_bytes, LexemeKind::kToken);
    if (const size_t n_dollars = dollars_before_name()) return read_slot(n_dollars);
    return read_unknown();
  }

  // The length in bytes of the <[5]> or !<[5]> here; 0: none.
  size_t token_reference() const {
    const size_t n_before = starts_with("!<[") ? 3 : starts_with("<[") ? 2 : 0;
    if (n_before == 0) return 0;
    const size_t end = text_.find_first_not_of("0123456789", at_ + n_before);
    const bool is_one =
        end != std::string_view::npos && end > at_ + n_before && text_.substr(end, 2) == "]>";
    return is_one ? end + 2 - at_ : 0;
  }

  // 1 or 2 if a slot begins here, otherwise 0.
  size_t dollars_before_name() const {
    if (dialect_ != Dialect::kTemplate || byte() != '$') return 0;
    const size_t n_dollars = starts_with("$$") ? 2 : 1;
    const auto first = decode_utf8(text_, at_ + n_dollars);
    return first && is_name_character(first->code_point) ? n_dollars : 0;
  }

  // The name of a slot has no '-' and no '.', so that it may come directly before a literal's text.
  LexemeKind read_slot(size_t n_dollars) {
    at_ += n_dollars;
    while (const uint32_t n_bytes = name_character()) at_ += n_bytes;
    return LexemeKind::kSlot;
  }

  LexemeKind read_mark(size_t n_bytes, LexemeKind kind) {
    at_ += n_bytes;
    return kind;
  }

  LexemeKind read_name() {
    while (at_ < text_.size()) {
      const bool joins = text_[at_] == '-' || text_[at_] == '.';
      const uint32_t n_bytes = joins ? 1 : name_character();
      if (n_bytes == 0) break;
      at_ += n_bytes;
    }
    end_of_name_ = at_;
    return LexemeKind::kName;
  }

  // Reads up to the closing byte, skipping escapes; an unclosed lexeme ends with its line.
  LexemeKind read_quoted(char closing, LexemeKind kind, LexemeKind unterminated) {
    for (++at_; at_ < text_.size() && !is_line_end(text_[at_]); ++at_) {
      if (text_[at_] == closing) return read_mark(1, kind);
      const bool escapes =
          text_[at_] == '\\' && at_ + 1 < text_.size() && !is_line_end(text_[at_ + 1]);
      if (escapes) ++at_;
    }
    return unterminated;
  }

  // The end of the rule options that begin here, directly behind a name; 0: this is a class.
  // Options may span lines, and their literals may contain brackets.
  size_t end_of_options() {
    constexpr size_t kMostBytes = 512;
    if (end_of_name_ != at_ || at_ == 0) return 0;
    const size_t begin = at_;
    const size_t limit = std::min(text_.size(), begin + kMostBytes);
    char mark = 0;
    size_t at = begin + 1;
    for (; at < limit && (mark != 0 || text_[at] != ']'); ++at) {
      const char here = text_[at];
      if (mark != 0 && here == '\\') ++at;
      else if (mark != 0 && here == mark) mark = 0;
      else if (mark == 0 && (here == '"' || here == '\'')) mark = here;
      else if (here == '[' && mark == 0) return 0;
    }
    if (at >= limit) return 0;
    at_ = at + 1;
    skip_spaces();
    const bool is_defined = starts_with("::=");
    at_ = begin;
    return is_defined ? at + 1 : 0;
  }

  LexemeKind read_bounds() {
    const size_t end = text_.find_first_of("{}\n\r", at_ + 1);
    if (end == std::string_view::npos || text_[end] != '}') {
      const size_t after = text_.find_first_not_of("0123456789, ", at_ + 1);
      at_ = after == std::string_view::npos ? text_.size() : after;
      return LexemeKind::kUnterminatedBounds;
    }
    at_ = end + 1;
    return LexemeKind::kRepeat;
  }

  LexemeKind read_unknown() {
    constexpr std::string_view kArrows = "=:->";
    const size_t begin = at_;
    while (at_ < text_.size() && kArrows.find(text_[at_]) != std::string_view::npos) {
      if (at_ > begin && starts_with("::=")) break;
      ++at_;
    }
    if (at_ > begin) return LexemeKind::kAlmostDefine;
    const auto here = decode_utf8(text_, at_);
    at_ += here ? here->n_bytes : 1;
    if (here) skip_typographic_quote(here->code_point);
    return LexemeKind::kUnknown;
  }

  // Reports “text” as one mistake instead of a word between two unknown characters.
  void skip_typographic_quote(uint32_t opening) {
    const bool opens =
        opening == 0x201C || opening == 0x201E || opening == 0x2018 || opening == 0xAB;
    if (!opens) return;
    for (size_t end = at_; end < text_.size() && !is_line_end(text_[end]);) {
      const auto here = decode_utf8(text_, end);
      end += here ? here->n_bytes : 1;
      const uint32_t c = here ? here->code_point : 0;
      if (c == 0x201C || c == 0x201D || c == 0x2019 || c == 0xBB) {
        at_ = end;
        return;
      }
    }
  }

  std::string_view text_;
  const Dialect dialect_;
  size_t at_ = 0;
  size_t end_of_name_ = 0;  // of the last name read
};

}  // namespace

std::vector<Lexeme> read_lexemes(std::string_view text, Dialect dialect) {
  return all_lexemes<Lexer>(text, kLookahead, dialect);
}

}  // namespace xg2lab::ebnf
