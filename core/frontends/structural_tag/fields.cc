// Read: Findings; Fields, one method for each type. The trick is span_in_string, which counts
// escapes instead of storing offsets.
#include "frontends/structural_tag/fields.h"

#include <algorithm>
#include <charconv>
#include <unordered_set>
#include <utility>

#include "support/suggest.h"
#include "support/text.h"

namespace xg2lab::structural_tag {

// ---- Findings ----------------------------------------------------------------------------------

void Findings::report(const char* code, std::string message, JsonId value, std::string hint) {
  found_.push_back(
      {{code, Severity::kError, std::move(message), document_.span(value), std::move(hint)},
       value,
       false});
}

void Findings::report_within(const char* code, std::string message, JsonId text, SourceSpan within,
                             std::string hint) {
  report(code, std::move(message), text, std::move(hint));
  found_.back().diagnostic.span = span_in_string(document_, text, within);
}

void Findings::report_key(const char* code, std::string message, JsonId value, std::string hint) {
  report(code, std::move(message), value, std::move(hint));
  found_.back().diagnostic.span = document_.key_span(value);
}

void Findings::report_span(const char* code, std::string message, SourceSpan span,
                           std::string hint) {
  found_.push_back(
      {{code, Severity::kError, std::move(message), span, std::move(hint)}, std::nullopt, false});
}

JsonId Findings::value_of(const Finding& finding) const {
  if (finding.value) return *finding.value;
  JsonId innermost = document_.root();
  for (size_t i = 0; i < document_.n_values(); ++i) {  // inner values have larger ids
    const SourceSpan span = document_.span(JsonId(i));
    const SourceSpan within = finding.diagnostic.span;
    const SourceSpan key = document_.key_span(JsonId(i));
    const bool is_around = span.begin <= within.begin && within.end <= span.end;
    if (is_around || (!key.empty() && key.begin == within.begin)) innermost = JsonId(i);
  }
  return innermost;
}

void Findings::raise() && {
  std::stable_sort(found_.begin(), found_.end(), [](const Finding& a, const Finding& b) {
    return a.diagnostic.span.begin < b.diagnostic.span.begin;
  });
  const bool all_unsupported = std::all_of(
      found_.begin(), found_.end(), [](const Finding& finding) { return finding.is_unsupported; });
  std::vector<Diagnostic> diagnostics;
  for (const Finding& finding : found_) diagnostics.push_back(finding.diagnostic);
  Error error(
      all_unsupported ? ErrorKind::kUnsupportedError : ErrorKind::kInvalidStructuralTagError,
      std::move(diagnostics), *document_.source());
  error.set_pointer(document_.pointer(value_of(found_.front())));
  throw error;
}

SourceSpan span_in_string(const JsonDocument& document, JsonId string, SourceSpan within) {
  const std::string_view source = document.source()->text();
  uint32_t at = document.span(string).begin + 1;  // behind the opening quote
  SourceSpan span;
  for (uint32_t read = 0;; ++read) {
    if (read == within.begin) span.begin = at;
    if (read == within.end) span.end = at;
    if (read >= within.begin && read >= within.end) return span;
    // Each escape of the printed text denotes one byte: a quote, a backslash or a control
    // character.
    if (source[at] != '\\') ++at;
    else at += source[at + 1] == 'u' ? 6 : 2;
  }
}

std::string quoted(std::string_view text) {
  constexpr size_t kMostBytes = 60;
  size_t end = std::min(text.size(), kMostBytes);
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  std::string shown;
  append_json_string(shown, text.substr(0, end));
  return "`" + shown.substr(1, shown.size() - 2) + (text.size() > end ? "…" : "") + "`";
}

std::optional<int64_t> whole_number(std::string_view digits) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// ---- Fields ------------------------------------------------------------------------------------

std::optional<JsonId> Fields::value(std::string_view name) {
  if (std::find(asked_.begin(), asked_.end(), name) == asked_.end()) asked_.push_back(name);
  const auto found = document_.find(object_, name);
  if (found && document_.kind(*found) == JsonKind::kNull) return std::nullopt;
  return found;
}

std::optional<JsonId> Fields::needed(std::string_view name) {
  const auto found = value(name);
  if (!found) {
    findings_.report("missing_field", concat(what_, " needs a `", name, "`"), object_,
                     concat("add \"", name, "\": ..."));
  }
  return found;
}

void Fields::refuse(JsonId value, std::string_view name, const char* expected, const char* hint) {
  findings_.report("bad_field", concat("`", name, "` of ", what_, " must be ", expected), value,
                   hint);
}

std::optional<WatchedText> Fields::text(std::string_view name) {
  const auto found = needed(name);
  if (!found) return std::nullopt;
  if (document_.is_string(*found)) {
    return WatchedText{std::string(document_.text(*found)), document_.span(*found)};
  }
  refuse(*found, name, "a text", "write a string");
  return std::nullopt;
}

std::vector<JsonId> Fields::items(std::string_view name, bool at_least_one) {
  const auto found = at_least_one ? needed(name) : value(name);
  if (!found) return {};
  if (!document_.is_array(*found)) {
    refuse(*found, name, "a list", "write [...]");
    return {};
  }
  const auto items = document_.children(*found);
  if (items.empty() && at_least_one)
    findings_.report("empty_list", concat("`", name, "` of ", what_, " is empty"), *found,
                     "list at least one");
  return {items.begin(), items.end()};
}

std::vector<WatchedText> Fields::texts(std::string_view name) {
  std::vector<WatchedText> texts;
  std::unordered_set<std::string_view> known;
  for (JsonId item : items(name, false)) {
    if (!document_.is_string(item)) {
      refuse(item, name, "a list of texts", "write strings");
    } else if (document_.text(item).empty()) {
      findings_.report("empty_text", concat("`", name, "` has an empty text"), item,
                       "write at least one character");
    } else if (known.insert(document_.text(item)).second) {
      texts.push_back({std::string(document_.text(item)), document_.span(item)});
    }
  }
  return texts;
}

bool Fields::flag(std::string_view name, bool otherwise) {
  const auto found = value(name);
  if (!found) return otherwise;
  if (!document_.is_boolean(*found)) refuse(*found, name, "true or false", "write true or false");
  return document_.kind(*found) == JsonKind::kTrue;
}

std::string_view Fields::one_of(std::string_view name,
                                std::initializer_list<std::string_view> choices) {
  const auto found = value(name);
  if (!found) return *choices.begin();
  if (document_.is_string(*found)) {
    const auto* const choice = std::find(choices.begin(), choices.end(), document_.text(*found));
    if (choice != choices.end()) return *choice;
  }
  const std::string expected =
      join(choices, " or ", [](std::string_view choice) { return concat('"', choice, '"'); });
  refuse(*found, name, expected.c_str(), ("write " + expected).c_str());
  return *choices.begin();
}

std::optional<uint32_t> Fields::limit(std::string_view name) {
  const auto found = value(name);
  if (!found) return std::nullopt;
  const auto number =
      document_.is_number(*found) ? whole_number(document_.text(*found)) : std::nullopt;
  if (number && *number >= 0 && *number <= INT32_MAX) return static_cast<uint32_t>(*number);
  refuse(*found, name, "a whole number from 0 to 2147483647", "write null for no limit");
  return std::nullopt;
}

std::optional<int64_t> Fields::number(std::string_view name) {
  const auto found = needed(name);
  if (!found) return std::nullopt;
  if (document_.is_number(*found)) {
    if (const auto number = whole_number(document_.text(*found))) return number;
  }
  refuse(*found, name, "a whole number", "write a whole number");
  return std::nullopt;
}

void Fields::finish() {
  for (JsonId child : document_.children(object_)) {
    const std::string_view key = document_.key(child);
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    std::string hint = "it has ";
    if (const auto near = closest_name(key, asked_)) {
      hint = "did you mean " + quoted(*near) + "?";
    } else {
      hint += join(asked_, ", ", quoted);
    }
    findings_.report_key("unknown_field", what_ + " has no field " + quoted(key), child,
                         std::move(hint));
  }
}

}  // namespace xg2lab::structural_tag
