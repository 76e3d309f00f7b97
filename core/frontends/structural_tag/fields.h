// The fields of a format: each is read by name and type; a field that is left over is a mistake.
//
// Tests: tests/structural_tag/test_errors.py
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/grammar.h"
#include "support/json_value.h"

namespace xg2lab::structural_tag {

// All mistakes of a structural tag, each at one of its values.
class Findings {
 public:
  explicit Findings(const JsonDocument& document) : document_(document) {}

  void report(const char* code, std::string message, JsonId value, std::string hint);
  // Reports at a part of a text.
  void report_within(const char* code, std::string message, JsonId text, SourceSpan within,
                     std::string hint);
  // Reports at the key of a value.
  void report_key(const char* code, std::string message, JsonId value, std::string hint);
  // Reports at a span of the source.
  void report_span(const char* code, std::string message, SourceSpan span, std::string hint);
  // Marks the last report as well-formed but unsupported.
  void last_is_unsupported() { found_.back().is_unsupported = true; }
  bool is_empty() const { return found_.empty(); }
  size_t size() const { return found_.size(); }
  // Throws all reports in the order of the source.
  [[noreturn]] void raise() &&;

 private:
  struct Finding {
    Diagnostic diagnostic;
    std::optional<JsonId> value;  // nothing: the innermost value around the span
    bool is_unsupported;
  };
  JsonId value_of(const Finding& finding) const;

  const JsonDocument& document_;
  std::vector<Finding> found_;
};

// The span of bytes of a string's value in the source, where the string is quoted and escaped.
SourceSpan span_in_string(const JsonDocument& document, JsonId string, SourceSpan within);
// `text` for a message: in backticks, shortened if long, control characters as JSON escapes.
std::string quoted(std::string_view text);

class Fields {
 public:
  // `what`: for messages, "a tag".
  Fields(const JsonDocument& document, JsonId object, std::string what, Findings& findings)
      : document_(document), object_(object), what_(std::move(what)), findings_(findings) {}

  JsonId object() const { return object_; }
  // Nothing if the field is missing or null. `needed` reports that.
  std::optional<JsonId> value(std::string_view name);
  std::optional<JsonId> needed(std::string_view name);
  std::optional<WatchedText> text(std::string_view name);  // required
  // A list of nonempty, distinct texts; empty if the field is missing.
  std::vector<WatchedText> texts(std::string_view name);
  // The items of a list; `at_least_one` reports an empty one.
  std::vector<JsonId> items(std::string_view name, bool at_least_one);
  bool flag(std::string_view name, bool otherwise);
  // The first choice if the field is missing.
  std::string_view one_of(std::string_view name, std::initializer_list<std::string_view> choices);
  std::optional<uint32_t> limit(std::string_view name);  // a nonnegative integer
  std::optional<int64_t> number(std::string_view name);  // required, an integer
  // Must come last: reports fields that were not read, except `type`.
  void finish();

 private:
  void refuse(JsonId value, std::string_view name, const char* expected, const char* hint);

  const JsonDocument& document_;
  JsonId object_;
  std::string what_;
  Findings& findings_;
  std::vector<std::string_view> asked_{"type"};
};

// The integer that a JSON number denotes, if it is one and fits.
std::optional<int64_t> whole_number(std::string_view digits);

}  // namespace xg2lab::structural_tag
