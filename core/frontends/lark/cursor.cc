// Read: is_definition, is_at_end, then the reports of unexpected lexemes.
#include "frontends/lark/cursor.h"

#include <algorithm>

namespace xg2lab::lark {

// Skips the parts that may come between a definition's name and its colon.
bool Cursor::has_colon_after(size_t at) const {
  const auto skip_to = [&](Kind closing) {
    at = next_of(closing, at);
    if (kind_at(at) == closing) ++at;
  };
  if (kind_at(at) == Kind::kOpenBrace) skip_to(Kind::kCloseBrace);
  if (kind_at(at) == Kind::kDot && kind_at(at + 1) == Kind::kNumber) at += 2;
  if (kind_at(at) == Kind::kOpenMaybe) skip_to(Kind::kCloseMaybe);
  return kind_at(at) == Kind::kColon;
}

size_t Cursor::next_of(Kind closing, size_t at) const {
  Found& found = closing == Kind::kCloseBrace ? brace_ : bracket_;
  if (at >= found.from && at <= found.at) return found.at;
  found = {at, at};
  const auto ends = [&](Kind kind) {
    return kind == closing || kind == Kind::kEnd || kind == Kind::kColon;
  };
  while (!ends(kind_at(found.at))) ++found.at;
  return found.at;
}

size_t Cursor::past_marks(size_t at, size_t most) const {
  while (most-- > 0 && (kind_at(at) == Kind::kMark || kind_at(at) == Kind::kRepeat)) ++at;
  return at;
}

bool Cursor::is_definition(size_t at) const {
  constexpr size_t kMostMarks = 2;
  const size_t name = past_marks(at, kMostMarks);
  return kind_at(name) == Kind::kName && has_colon_after(name + 1);
}

bool Cursor::is_statement(size_t at) const {
  if (!lexemes_[at].is_first || lexemes_[at].kind != Kind::kDirective) return false;
  const std::string_view directive = words(lexemes_[at].span);
  return directive != "%json" && directive != "%regex" && directive != "%lark";
}

bool Cursor::is_at_end() const {
  if (is_over()) return true;
  if (at_ <= begin_ || !here().is_first) return false;
  return is_definition(at_) || is_statement(at_);
}

void Cursor::skip_to_end() {
  while (!is_at_end()) ++at_;
}

void Cursor::check_name(SourceSpan span) const {
  const std::string_view name = words(span);
  const bool has_small =
      std::any_of(name.begin(), name.end(), [](char byte) { return byte >= 'a' && byte <= 'z'; });
  const bool has_capital =
      std::any_of(name.begin(), name.end(), [](char byte) { return byte >= 'A' && byte <= 'Z'; });
  if (has_small != has_capital) return;
  reading_.report("bad_name",
                  quoted(name) + (has_small ? " has small letters and capitals" : " has no letter"),
                  span, "a rule's name has small letters, a terminal's capitals");
}

void Cursor::report_unexpected(const std::string& wanted) const {
  const Lexeme& lexeme = here();
  std::string hint = "remove it, or put it in quotation marks if it is text";
  if (lexeme.kind == Kind::kUnterminatedText || lexeme.kind == Kind::kUnterminatedPattern) {
    hint = "it is not closed in its line";
  } else if (lexeme.kind == Kind::kUnknown && (words()[0] == '=' || words()[0] == ';')) {
    hint = "a rule is written name: ..., and ends with its line";
  } else if (is_over()) {
    hint = "add it";
  }
  reading_.report("expected_token",
                  "expected " + wanted + ", found " + (is_over() ? "the end" : quoted(words())),
                  lexeme.span, hint);
}

}  // namespace xg2lab::lark
