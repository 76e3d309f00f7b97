// The parser's position in the lexemes of a text, and the boundaries of statements.
//
// Tests: tests/core/test_lark.py
//
// EXAMPLE   at the first lexeme of a line: `name:`, `?name.2[lazy]:`, `%ignore` begin a statement;
//           `| x` and `%json` do not.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/lark/lexer.h"
#include "frontends/lark/reading.h"

namespace xg2lab::lark {

class Cursor {
 public:
  using Kind = LexemeKind;

  explicit Cursor(const Reading& reading)
      : reading_(reading), lexemes_(read_lexemes(reading.text())) {}

  const Reading& reading() const { return reading_; }
  const Lexeme& here(size_t n_ahead = 0) const {
    return lexemes_[std::min(at_ + n_ahead, lexemes_.size() - 1)];
  }
  bool is_over() const { return here().kind == Kind::kEnd; }
  bool is_at(Kind kind) const { return here().kind == kind && !is_at_end(); }
  std::string_view words(SourceSpan span) const { return reading_.words(span); }
  std::string_view words() const { return words(here().span); }
  void step() {
    if (!is_over()) ++at_;
  }
  // Skips the lexeme here if it is of this kind and not part of the next statement.
  bool take(Kind kind) {
    if (!is_at(kind)) return false;
    step();
    return true;
  }
  uint32_t end_of_previous() const { return at_ == 0 ? 0 : lexemes_[at_ - 1].span.end; }
  // The span in the grammar from `begin` to the end of the previous lexeme.
  SourceSpan since(uint32_t begin) const { return reading_.in_grammar({begin, end_of_previous()}); }

  // Starts a statement here; the next one begins later.
  void begin_statement() { begin_ = at_; }
  // Whether a definition begins here: at the start of a line or, after %override, anywhere.
  bool is_at_definition() const { return here().is_first && is_before_definition(); }
  bool is_before_definition() const { return is_definition(at_); }
  bool is_at_statement() const { return is_statement(at_); }
  bool is_at_end() const;
  void skip_to_end();
  void skip_marks() { at_ = past_marks(at_, lexemes_.size()); }

  void report_unexpected(const std::string& wanted) const;
  // Reports a name with both small letters and capitals.
  void check_name(SourceSpan span) const;

 private:
  Kind kind_at(size_t at) const { return lexemes_[std::min(at, lexemes_.size() - 1)].kind; }
  bool has_colon_after(size_t at) const;
  // The next closing bracket of this kind, colon or end, from `at` on.
  size_t next_of(Kind closing, size_t at) const;
  size_t past_marks(size_t at, size_t most) const;
  bool is_definition(size_t at) const;
  bool is_statement(size_t at) const;

  const Reading& reading_;
  std::vector<Lexeme> lexemes_;
  size_t at_ = 0;
  size_t begin_ = 0;  // of the current statement
  // The last result and the position of its query: queries move forward, so each lexeme is visited
  // once.
  struct Found {
    size_t from = 1;
    size_t at = 0;
  };
  mutable Found brace_;
  mutable Found bracket_;
};

}  // namespace xg2lab::lark
