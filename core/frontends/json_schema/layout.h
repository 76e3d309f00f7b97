// The whitespace of a JSON text: the punctuation of objects and arrays as expressions.
//
// Tests: tests/json_schema/test_keywords.py
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontends/json_schema/json_schema.h"
#include "grammar/grammar.h"

namespace xg2lab::json_schema {

class Layout {
 public:
  Layout(GrammarBuilder& builder, const Options& options);

  ExprId open(std::string_view bracket);   // "{" and the whitespace after it
  ExprId close(std::string_view bracket);  // the whitespace before "}", and "}"
  ExprId empty(std::string_view open, std::string_view close);  // "{}"
  ExprId comma();
  ExprId separator();  // a comma, as one reference or literal
  ExprId colon();

  // With indentation, an expression depends on its nesting depth; otherwise the depth stays 0.
  uint32_t depth() const { return depth_; }
  void set_depth(uint32_t depth) { depth_ = depth; }
  void enter() { depth_ += options_.indent && !options_.any_whitespace ? 1 : 0; }
  void leave() { depth_ -= options_.indent && !options_.any_whitespace ? 1 : 0; }
  // The limit on the depth of indented values, since each level needs rules of its own.
  static constexpr uint32_t kMostIndented = 32;
  bool may_nest() const { return depth_ < kMostIndented; }

 private:
  std::string new_line(uint32_t depth) const;
  ExprId whitespace();
  GrammarBuilder& builder_;
  const Options& options_;
  std::optional<RuleId> whitespace_;  // made when first needed
  std::optional<RuleId> separator_;
  uint32_t depth_ = 0;
};

}  // namespace xg2lab::json_schema
