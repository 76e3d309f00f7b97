// The slots of a schema that is a template: {"$slot": "ids"} in the place of a keyword's value.
//
// Tests: tests/json_schema/test_templates.py
//
// IDEA
//   A slot may be the value of `enum`, `const`, `minItems` or `maxItems`, and of no other keyword.
//   The value is not known when the schema is read, so nothing can be computed from it: a schema
//   with such a value may be one of several (anyOf), but can't be intersected with others or
//   negated. Each slot becomes a hole of the grammar (grammar/template.h), or is reported.
//
// EXAMPLE   {"type": "string", "enum": {"$slot": "ids"}}   a hole: one of the JSON values of `ids`
//           {"type": "array", "maxItems": {"$slot": "n"}}  a repetition whose bound is a hole
//           {"minLength": {"$slot": "n"}}                  misplaced_slot
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontends/json_schema/coverage.h"
#include "grammar/template.h"
#include "support/json_value.h"

namespace xg2lab::json_schema {

class Slots {
 public:
  // `is_template`: otherwise there are no slots, and {"$slot": ...} is a value like any other.
  Slots(const JsonDocument& document, Coverage& coverage, bool is_template);

  // Whether the schema has slots, somewhere.
  bool is_any() const { return is_any_; }
  bool is_slot(JsonId value) const { return is_template_ && is_slot_[value.index()]; }
  // The slot in the template's form. From now on it counts as written.
  Slot take(JsonId value);
  // Whether the slot may be the value of its keyword.
  bool is_well_placed(JsonId value) const;

  // Reports a slot in a place where slots are not allowed.
  void misplaced(JsonId value);
  // Reports a slot whose value would be needed for a computation.
  void refuse(JsonId value);
  // Reports a keyword that is not allowed beside a slot for `enum` or `const`.
  void refuse_beside(JsonId keyword, JsonId slot);
  // Reports the slots that were not written.
  void finish();

 private:
  std::string name(JsonId value) const;

  const JsonDocument& document_;
  Coverage& coverage_;
  const bool is_template_;
  bool is_any_ = false;
  std::vector<bool> is_slot_;     // index: JsonId; empty if there are none
  std::vector<bool> is_settled_;  // the same; written or reported
};

// Whether the keyword is allowed beside a slot for `enum` or `const`: it constrains scalars.
bool may_stand_beside_slot(std::string_view keyword);

}  // namespace xg2lab::json_schema
