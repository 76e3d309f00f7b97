// Writes the JSON values of a request's arguments as the schema writes its own `enum` and `const`.
//
// Tests: tests/json_schema/test_templates.py
//
// IDEA
//   The texts are those of {"enum": values} together with the keywords beside the slot. Texts of
//   ASCII, null, true and false are written directly; other values are converted by the front end,
//   since a number or a letter beyond ASCII has several spellings, and a list or an object has
//   whitespace in it.
//
// EXAMPLE   {"type": ["string", "integer"], "const": {"$slot": "x"}}
//           x = "a": the text "a" in quotation marks.   x = 1: the texts 1 and 1.0.
//           x = "é": a grammar, as é may be written \u00e9.   x = null: refused
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontends/json_schema/formulas.h"
#include "frontends/json_schema/json_schema.h"
#include "grammar/template.h"
#include "support/json_value.h"

namespace xg2lab::json_schema {

class SlotValues : public ValueWriter {
 public:
  // `beside`: the keywords beside the slot; `dialect`: the schema's `$schema`, if it has one.
  // `options.depth` is that of the value.
  SlotValues(const JsonDocument& document, const std::vector<JsonId>& beside,
             std::optional<JsonId> dialect, TypeSet types, const Options& options);

  WrittenValues write(const JsonDocument& values) const override;

 private:
  // {"$schema": ..., keywords, "enum": values}
  JsonDocument schema_with(const JsonDocument& values, std::span<const JsonId> some) const;
  Grammar grammar_of(const JsonDocument& values, std::span<const JsonId> some) const;
  // Why the value is not allowed there; empty if it is.
  std::string refusal(const JsonDocument& values, JsonId value) const;

  JsonDocument beside_;  // an object
  TypeSet types_;
  bool is_about_types_alone_;
  Options options_;
};

}  // namespace xg2lab::json_schema
