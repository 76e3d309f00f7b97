// What became of each keyword of a schema: nothing is dropped in silence.
//
// Tests: tests/json_schema/test_keywords.py
#pragma once

#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "grammar/keyword_use.h"
#include "support/error.h"
#include "support/json_value.h"

namespace xg2lab::json_schema {

// Collects what was found while a schema is read and written. One finding a keyword and code.
class Coverage {
 public:
  Coverage(const JsonDocument& document, bool relaxes) : document_(document), relaxes_(relaxes) {}

  void enforced(JsonId keyword, std::string note = {}) {
    this->note(keyword, KeywordState::kEnforced, std::move(note));
  }
  // What is to be known of a keyword that is enforced, or of the one that it stands in. False: neither is one.
  bool remark(JsonId keyword, std::string_view words);
  void annotation(JsonId keyword, std::string why = {}) {
    note(keyword, KeywordState::kAnnotation, std::move(why));
  }
  // A keyword that can't be kept: an error, unless relaxing.
  void refuse(JsonId keyword, const char* code, std::string message, std::string hint);
  // A schema that is none: always an error.
  void mistake(JsonId place, const char* code, std::string message, std::string hint);

  bool relaxes() const { return relaxes_; }

  // What is being worked on. An exception leaves it as it was when it was thrown.
  JsonId at() const { return at_; }
  class Place {
   public:
    Place(Coverage& coverage, JsonId at)
        : coverage_(coverage), before_(std::exchange(coverage.at_, at)) {}
    ~Place() {
      if (std::uncaught_exceptions() == n_exceptions_) coverage_.at_ = before_;
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    Coverage& coverage_;
    const JsonId before_;
    const int n_exceptions_ = std::uncaught_exceptions();
  };
  // The same error with the place at which it was thrown.
  Error placed(const Error& error) const;
  // In the order of the text.
  std::vector<KeywordUse> uses() const;
  // Throws all errors at once, if there is one.
  void raise() const;

 private:
  void note(JsonId keyword, KeywordState state, std::string why);
  void report(JsonId place, const char* code, std::string message, std::string hint);

  const JsonDocument& document_;
  const bool relaxes_;
  JsonId at_ = document_.root();
  std::map<JsonId, std::pair<KeywordState, std::string>> uses_;
  std::vector<Diagnostic> errors_;
  bool has_mistakes_ = false;
};

}  // namespace xg2lab::json_schema
