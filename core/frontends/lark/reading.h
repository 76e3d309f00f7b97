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
#include "support/text.h"

namespace xg2lab::lark {

constexpr size_t kMostTextBytes = size_t{4} << 20;

class Reading {
 public:
  // `import_span`: the statement that imports this text; nothing: the text is the grammar itself.
  Reading(std::string_view text, std::string name, std::optional<SourceSpan> import_span,
          Findings& findings)
      : source_(std::string(text), std::move(name)),
        import_span_(import_span),
        findings_(findings) {}

  std::string_view text() const { return source_.text(); }
  std::string_view words(SourceSpan span) const {
    return text().substr(span.begin, span.end - span.begin);
  }
  Findings& findings() const { return findings_; }
  const SourceText& source() const { return source_; }
  bool is_imported() const { return import_span_.has_value(); }

  // Maps a span of this text to the grammar.
  SourceSpan in_grammar(SourceSpan span) const { return import_span_.value_or(span); }

  void report(const char* code, std::string message, SourceSpan span, std::string hint) const {
    if (import_span_) {
      message = concat("in ", quoted(source_.name()), ", line ", source_.position(span.begin).line,
                       ": ", message);
    }
    findings_.report(code, std::move(message), in_grammar(span), std::move(hint));
  }

 private:
  SourceText source_;
  std::optional<SourceSpan> import_span_;
  Findings& findings_;
};

}  // namespace xg2lab::lark
