// Where whitespace stands in a JSON text, and how much: the punctuation of objects and arrays as expressions.
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

  ExprId open(std::string_view bracket);   // "{" and what may follow it
  ExprId close(std::string_view bracket);  // what may stand before "}", and "}"
  ExprId empty(std::string_view open, std::string_view close);  // "{}"
  ExprId comma();
  ExprId separator();  // a comma, as one reference or literal
  ExprId colon();

  // With an indentation a text depends on how deep it stands; else the depth stays 0.
  uint32_t depth() const { return depth_; }
  void set_depth(uint32_t depth) { depth_ = depth; }
  void enter() { depth_ += options_.indent && !options_.any_whitespace ? 1 : 0; }
  void leave() { depth_ -= options_.indent && !options_.any_whitespace ? 1 : 0; }
  // Indented values are nested so deep and no deeper, as each level needs rules of its own.
  static constexpr uint32_t kMostIndented = 32;
  bool may_nest() const { return depth_ < kMostIndented; }

 private:
  std::string new_line(uint32_t depth) const;
  ExprId whitespace();
  GrammarBuilder& builder_;
  const Options& options_;
  std::optional<RuleId> whitespace_;  // made when they are needed
  std::optional<RuleId> separator_;
  uint32_t depth_ = 0;
};

}  // namespace xg2lab::json_schema
