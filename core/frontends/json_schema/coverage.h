// What became of each keyword of a schema: nothing is dropped in silence.
//
// Tests: tests/json_schema/test_keywords.py
#pragma once

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

  void enforced(JsonId keyword) { note(keyword, KeywordState::kEnforced, {}); }
  void annotation(JsonId keyword, std::string why = {}) {
    note(keyword, KeywordState::kAnnotation, std::move(why));
  }
  // A keyword that can't be kept: an error, unless relaxing.
  void refuse(JsonId keyword, const char* code, std::string message, std::string hint);
  // A schema that is none: always an error.
  void mistake(JsonId place, const char* code, std::string message, std::string hint);

  bool relaxes() const { return relaxes_; }
  // In the order of the text.
  std::vector<KeywordUse> uses() const;
  // Throws all errors at once, if there is one.
  void raise() const;

 private:
  void note(JsonId keyword, KeywordState state, std::string why);
  void report(JsonId place, const char* code, std::string message, std::string hint);

  const JsonDocument& document_;
  const bool relaxes_;
  std::map<JsonId, std::pair<KeywordState, std::string>> uses_;
  std::vector<Diagnostic> errors_;
  bool has_mistakes_ = false;
};

}  // namespace xg2lab::json_schema
