// The mistakes found in one text: collected, sorted, thrown as one Error.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/error.h"

namespace xg2lab {

class Findings {
 public:
  explicit Findings(size_t most) : most_(most) {}

  void report(const char* code, std::string message, SourceSpan span, std::string hint) {
    if (!is_full()) {
      found_.push_back({code, Severity::kError, std::move(message), span, std::move(hint)});
    }
  }
  bool is_empty() const { return found_.empty(); }
  // Full: the rest of a text with so many mistakes is left unread.
  bool is_full() const { return found_.size() >= most_; }
  size_t most() const { return most_; }
  bool has_syntax_error() const;
  // Hands over each mistake: take(Diagnostic).
  template <class Take>
  void move_to(Take take) {
    for (Diagnostic& found : found_) take(std::move(found));
    found_.clear();
  }

  // Throws the mistakes in the order of the text. The kind: syntax error if one is about syntax,
  // else limit, else grammar, else unsupported.
  [[noreturn]] void raise(const SourceText& source) &&;

 private:
  size_t most_;
  std::vector<Diagnostic> found_;
};

// `text` for a message: in backticks, cut if long; what can't be seen is named, for example U+0000.
std::string quoted(std::string_view text);

}  // namespace xg2lab
