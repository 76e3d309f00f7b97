// Collects the mistakes found in one text, sorts them, and throws them as one Error.
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
  // Whether so many mistakes were found that the rest of the text should be skipped.
  bool is_full() const { return found_.size() >= most_; }
  size_t most() const { return most_; }
  bool has_syntax_error() const;
  // Calls take(Diagnostic) for each mistake and clears the list.
  template <class Take>
  void move_to(Take take) {
    for (Diagnostic& found : found_) take(std::move(found));
    found_.clear();
  }

  // Throws all mistakes in the order of the text. The kind of the Error: syntax error if any
  // mistake is one, otherwise limit, otherwise grammar, otherwise unsupported.
  [[noreturn]] void raise(const SourceText& source) &&;

 private:
  size_t most_;
  std::vector<Diagnostic> found_;
};

// `text` for a message: in backticks, shortened if long; invisible characters are named, for
// example U+0000.
std::string quoted(std::string_view text);

}  // namespace xg2lab
