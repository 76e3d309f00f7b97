// A text being read, and its mistakes.
//
// Mistakes in an imported text are reported at the statement that imports it, with their line in
// the imported text.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "support/findings.h"
#include "support/source.h"

namespace xg2lab::lark {

class Reading {
 public:
  // `place`: the span of the statement that imports this text. Nothing: it is the grammar itself.
  Reading(std::string_view text, std::string name, std::optional<SourceSpan> place,
          Findings& findings)
      : source_(std::string(text), std::move(name)), place_(place), findings_(findings) {}

  std::string_view text() const { return source_.text(); }
  std::string_view words(SourceSpan span) const {
    return text().substr(span.begin, span.end - span.begin);
  }
  Findings& findings() const { return findings_; }
  const SourceText& source() const { return source_; }
  bool is_imported() const { return place_.has_value(); }

  // Maps a span of this text to the grammar.
  SourceSpan placed(SourceSpan span) const { return place_.value_or(span); }

  void report(const char* code, std::string message, SourceSpan span, std::string hint) const {
    if (place_) {
      message = "in " + quoted(source_.name()) + ", line " +
                std::to_string(source_.position(span.begin).line) + ": " + message;
    }
    findings_.report(code, std::move(message), placed(span), std::move(hint));
  }

 private:
  SourceText source_;
  std::optional<SourceSpan> place_;
  Findings& findings_;
};

}  // namespace xg2lab::lark
