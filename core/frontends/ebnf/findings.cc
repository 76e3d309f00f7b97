// Sorting, choosing the kind of Error, and making hostile text fit to be shown.
#include "frontends/ebnf/findings.h"

#include <algorithm>
#include <string_view>

#include "support/utf8.h"

namespace xg2lab::ebnf {
namespace {

ErrorKind kind_of(const Diagnostic& diagnostic) {
  const std::string& code = diagnostic.code;
  if (code == "nesting_too_deep") return ErrorKind::kLimitError;
  if (code == "unsupported_macro" || code == "unsupported_option") {
    return ErrorKind::kUnsupportedError;
  }
  if (code == "undefined_rule" || code == "duplicate_rule" || code == "missing_root" ||
      code == "empty_grammar") {
    return ErrorKind::kGrammarError;
  }
  return ErrorKind::kGrammarSyntaxError;
}

}  // namespace

bool Findings::has_syntax_error() const {
  return std::any_of(found_.begin(), found_.end(), [](const Diagnostic& diagnostic) {
    return kind_of(diagnostic) == ErrorKind::kGrammarSyntaxError;
  });
}

void Findings::raise(const SourceText& source) && {
  std::stable_sort(found_.begin(), found_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.span.begin < b.span.begin;
  });
  ErrorKind kind = ErrorKind::kUnsupportedError;
  for (ErrorKind candidate :
       {ErrorKind::kGrammarError, ErrorKind::kLimitError, ErrorKind::kGrammarSyntaxError}) {
    const bool occurs = std::any_of(found_.begin(), found_.end(), [candidate](const Diagnostic& d) {
      return kind_of(d) == candidate;
    });
    if (occurs) kind = candidate;
  }
  throw Error(kind, std::move(found_), renderable(source.text()));
}

std::string quoted(std::string_view text) {
  constexpr size_t kShownBytes = 40;
  std::string shown = "`";
  for (size_t at = 0; at < text.size();) {
    const auto here = decode_utf8(text, at);
    if (at >= kShownBytes) {
      shown += "…";
      break;
    }
    if (here && is_printable(here->code_point)) {
      shown += text.substr(at, here->n_bytes);
    } else {
      shown += '?';
    }
    at += here ? here->n_bytes : 1;
  }
  return shown + "`";
}

SourceText renderable(std::string_view text) {
  std::string shown(text);
  for (size_t at = 0; at < shown.size();) {
    const auto byte = static_cast<unsigned char>(shown[at]);
    if (byte < 0x80) {
      const bool is_shown =
          byte == '\t' || byte == '\n' || byte == '\r' || (byte >= 0x20 && byte < 0x7F);
      if (!is_shown) shown[at] = '?';
      ++at;
    } else if (const auto here = decode_utf8(shown, at)) {
      at += here->n_bytes;
    } else {
      shown[at++] = '?';
    }
  }
  return SourceText(std::move(shown), "grammar");
}

}  // namespace xg2lab::ebnf
