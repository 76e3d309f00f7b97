// Where whitespace stands in a JSON text, and how much: the punctuation of objects and arrays as expressions.
//
// Tests: tests/json_schema/test_whitespace.py
#pragma once

#include <optional>
#include <string_view>

#include "frontends/json_schema/json_schema.h"
#include "grammar/grammar.h"

namespace xg2lab::json_schema {

class Layout {
 public:
  Layout(GrammarBuilder& builder, const Options& options);

  ExprId open(std::string_view bracket);   // "{" and what may follow it
  ExprId close(std::string_view bracket);  // what may stand before "}", and "}"
  ExprId comma();
  ExprId separator();  // a comma, as one reference or literal
  ExprId colon();

 private:
  ExprId whitespace();
  GrammarBuilder& builder_;
  const Options& options_;
  std::optional<RuleId> whitespace_;  // made when they are needed
  std::optional<RuleId> separator_;
};

}  // namespace xg2lab::json_schema
