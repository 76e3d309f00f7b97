// The state of each keyword of a schema: no keyword is dropped silently.
//
// Tests: tests/json_schema/test_keywords.py
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/keyword_use.h"
#include "support/error.h"
#include "support/json_value.h"

namespace xg2lab::json_schema {

// Collects the states of keywords while a schema is read and written. At most one finding for each
// keyword and code.
class Coverage {
 public:
  Coverage(const JsonDocument& document, bool relaxes)
      : document_(document), relaxes_(relaxes), uses_(document.n_values()) {}

  void enforced(JsonId keyword, std::string_view note = {}) {
    this->note(keyword, KeywordState::kEnforced, note);
  }
  // Adds a remark about an enforced keyword, or about the enforced keyword that contains it. False:
  // neither is enforced.
  bool remark(JsonId keyword, std::string_view words);
  void annotation(JsonId keyword, std::string_view why = {}) {
    note(keyword, KeywordState::kAnnotation, why);
  }
  // A keyword that can't be enforced: an error, unless relaxing.
  void refuse(JsonId keyword, const char* code, std::string message, std::string hint);
  // An invalid schema: always an error.
  void mistake(JsonId value, const char* code, std::string message, std::string hint);

  bool relaxes() const { return relaxes_; }

  // The value being processed. After an exception, the value being processed when it was thrown.
  JsonId at() const { return at_; }
  // Marks a value as the one being processed while it is in scope.
  class Processing {
   public:
    Processing(Coverage& coverage, JsonId at)
        : coverage_(coverage), before_(std::exchange(coverage.at_, at)) {}
    ~Processing() {
      if (std::uncaught_exceptions() == n_exceptions_) coverage_.at_ = before_;
    }
    Processing(const Processing&) = delete;
    Processing& operator=(const Processing&) = delete;

   private:
    Coverage& coverage_;
    const JsonId before_;
    const int n_exceptions_ = std::uncaught_exceptions();
  };
  // The error, with the pointer of the value at which it was thrown.
  Error located(const Error& error) const;
  // In the order of the text.
  std::vector<KeywordUse> uses() const;
  // Throws all errors at once, if there are any.
  void raise() const;

 private:
  struct Use {
    bool is_known = false;
    KeywordState state = KeywordState::kEnforced;
    uint32_t note = 0;  // index into notes_
  };
  void note(JsonId keyword, KeywordState state, std::string_view why);
  uint32_t kept(std::string_view note);
  void report(JsonId value, const char* code, std::string message, std::string hint);

  const JsonDocument& document_;
  const bool relaxes_;
  JsonId at_ = document_.root();
  std::vector<Use> uses_;  // index: JsonId
  size_t n_uses_ = 0;
  std::vector<std::string> notes_{""};
  std::vector<Diagnostic> errors_;
  bool has_mistakes_ = false;
};

}  // namespace xg2lab::json_schema
