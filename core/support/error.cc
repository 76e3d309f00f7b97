// Rendering of diagnostics: place, line, caret, hint.
// Read: render (one diagnostic), then the two constructors of Error.
// The trick: the caret line copies the tabs of the source line and is as wide as its escapes, so
// that carets are under the text they mark.
#include "support/error.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <utility>

#include "support/text.h"
#include "support/utf8.h"
#include "support/visible.h"

namespace xg2lab {
namespace {

constexpr size_t kShownLineBytes = 160;
constexpr size_t kShownDiagnostics = 20;

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

// The visible part of a long line: a window that contains the span's beginning.
struct Window {
  size_t begin;
  size_t end;
};

Window window_of(std::string_view line, size_t focus) {
  if (line.size() <= kShownLineBytes) return {0, line.size()};
  size_t begin = focus > kShownLineBytes / 2 ? focus - kShownLineBytes / 2 : 0;
  size_t end = std::min(line.size(), begin + kShownLineBytes);
  while (begin > 0 && is_continuation(line[begin])) --begin;
  while (end < line.size() && is_continuation(line[end])) ++end;
  return {begin, end};
}

// An indivisible part of a displayed line: a byte, or a code point with its escape.
struct Cell {
  std::string shown;
  size_t width;    // in columns; each code point counts as one
  size_t n_bytes;  // in the source line
};

// Makes text safe for terminals and UTF-8: controls and invalid bytes become '?', hidden characters
// their escape.
Cell cell_at(std::string_view line, size_t at) {
  const auto here = decode_utf8(line, at);
  if (!here) return {"?", 1, 1};
  const std::string_view bytes = line.substr(at, here->n_bytes);
  if (!is_hidden(here->code_point)) return {std::string(bytes), 1, here->n_bytes};
  if (here->code_point < 0x80) return {"?", 1, 1};
  std::string shown = escaped(here->code_point);
  return {shown, shown.size(), here->n_bytes};
}

std::string shown_line(std::string_view line) {
  std::string shown;
  for (size_t at = 0; at < line.size();) {
    const Cell cell = cell_at(line, at);
    shown += cell.shown;
    at += cell.n_bytes;
  }
  return shown;
}

size_t width_of(std::string_view line) {
  size_t width = 0;
  for (size_t at = 0; at < line.size();) {
    const Cell cell = cell_at(line, at);
    width += cell.width;
    at += cell.n_bytes;
  }
  return width;
}

// A blank of the line's width: spaces, and the line's own tabs.
std::string blank(std::string_view line) {
  std::string out;
  for (size_t at = 0; at < line.size();) {
    const Cell cell = cell_at(line, at);
    out += cell.shown == "\t" ? cell.shown : std::string(cell.width, ' ');
    at += cell.n_bytes;
  }
  return out;
}

std::string headline(const std::vector<Diagnostic>& diagnostics, const SourceText& source) {
  const auto shown = std::span(diagnostics).first(std::min(diagnostics.size(), kShownDiagnostics));
  std::string text =
      join(shown, "\n", [&](const Diagnostic& diagnostic) { return render(diagnostic, source); });
  if (diagnostics.size() > kShownDiagnostics) {
    text += concat("\n... and ", diagnostics.size() - kShownDiagnostics, " more");
  }
  return text;
}

}  // namespace

const char* error_kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kGrammarSyntaxError: return "GrammarSyntaxError";
    case ErrorKind::kGrammarError: return "GrammarError";
    case ErrorKind::kVocabularyError: return "VocabularyError";
    case ErrorKind::kBitmaskError: return "BitmaskError";
    case ErrorKind::kMatcherStateError: return "MatcherStateError";
    case ErrorKind::kUnsupportedError: return "UnsupportedError";
    case ErrorKind::kLimitError: return "LimitError";
    case ErrorKind::kArgumentError: return "ArgumentError";
    case ErrorKind::kTemplateArgumentError: return "TemplateArgumentError";
    case ErrorKind::kDeserializeFormatError: return "DeserializeFormatError";
    case ErrorKind::kInvalidStructuralTagError: return "InvalidStructuralTagError";
  }
  return "Xg2LabError";
}

std::string render(const Diagnostic& diagnostic, const SourceText& source) {
  const SourcePosition place = source.position(diagnostic.span.begin);
  const std::string_view line = source.line_at(diagnostic.span.begin);
  const size_t line_begin = source.line_begin(diagnostic.span.begin);
  const size_t focus = std::min<size_t>(diagnostic.span.begin - line_begin, line.size());
  const Window shown = window_of(line, focus);
  const std::string number = std::to_string(place.line);
  const std::string gutter(number.size(), ' ');

  std::string text = visible(diagnostic.message);
  text += concat("\n  ", visible(source.name()), ":", number, ":", place.column);
  if (diagnostic.pointer) {
    const std::string& pointer = *diagnostic.pointer;
    text += concat(", argument ", pointer.empty() ? "(all)" : visible(pointer));
  }
  text += "\n    " + number + " | " + (shown.begin > 0 ? "…" : "");
  text += shown_line(line.substr(shown.begin, shown.end - shown.begin));
  text += shown.end < line.size() ? "…" : "";
  text += "\n    " + gutter + " | " + (shown.begin > 0 ? " " : "");
  text += blank(line.substr(shown.begin, focus - shown.begin));
  const size_t span_end = std::min<size_t>(diagnostic.span.end - line_begin, shown.end);
  const size_t width = span_end > focus ? width_of(line.substr(focus, span_end - focus)) : 1;
  text += std::string(std::max<size_t>(width, 1), '^');
  if (!diagnostic.hint.empty()) text += "\n  hint: " + visible(diagnostic.hint);
  return text;
}

Error::Error(ErrorKind kind, std::string message, std::string hint)
    : std::runtime_error(visible(hint.empty() ? message : message + "\n  hint: " + hint)),
      kind_(kind),
      diagnostics_{{"", Severity::kError, message, {}, hint}} {}

Error::Error(ErrorKind kind, std::vector<Diagnostic> diagnostics, SourceText source)
    : std::runtime_error(headline(diagnostics, source)),
      kind_(kind),
      diagnostics_(std::move(diagnostics)),
      source_(std::move(source)),
      pointer_(diagnostics_.front().pointer) {}

void assertion_failed(const char* condition, const char* invariant) {
  std::fprintf(stderr, "xg2lab: invariant broken: %s (%s)\n", invariant, condition);
  std::abort();
}

}  // namespace xg2lab
