// Cases: the normal form of formulas. A case describes some values of one type by a fixed number of
// facts.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   The values that satisfy a formula are a union of cases ("an object with these properties", "a
//   string of this length"). The intersection of two cases of one type is one case or empty, and
//   the complement of a fact within a case is a union of cases. So every combination of "and", "or"
//   and "not" reduces to a list of cases for each type. The formulas of items and properties are
//   not expanded: their cases are computed when they are written.
//
// EXAMPLE   {"type": ["string", "null"], "maxLength": 5}  ->  string: one case, of length 0 to 5;
//           null: one case.
//
// INVARIANTS
//   I1  a string or number case with `values` has no other facts: these were applied to the values
//   I2  properties of an object case have distinct names
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "frontends/json_schema/formulas.h"

namespace xg2lab::json_schema {

struct NullCase {
  friend bool operator==(const NullCase&, const NullCase&) = default;
};

struct BooleanCase {
  bool allows_false = true;
  bool allows_true = true;
  friend bool operator==(const BooleanCase&, const BooleanCase&) = default;
};

struct NumberCase {
  NumberConstraint constraint;
  std::optional<std::vector<Decimal>> values;
  bool is_plain = false;  // written in digits alone
};

struct StringCase {
  uint32_t min_length = 0;
  uint32_t max_length = kUnbounded;
  std::vector<ConditionId> conditions;  // sorted
  std::vector<ConditionId> excluded_conditions;
  std::vector<std::string_view> excluded_values;  // sorted
  std::optional<std::vector<std::string_view>> values;

  bool is_any() const {
    return min_length == 0 && max_length == kUnbounded && conditions.empty() &&
           excluded_conditions.empty() && excluded_values.empty() && !values;
  }
};

// The values of a slot (slots.h), of whatever types.
struct SlotCase {
  JsonId slot;
  TypeSet types = kAllTypes;
  std::vector<JsonId> beside;  // the keywords that stand beside it
};

struct Contains {
  FormulaId item;
  uint32_t min = 1;
  uint32_t max = kUnbounded;
  uint32_t from = 0;
  JsonId origin;
};

struct ArrayCase {
  std::vector<FormulaId> prefix;
  FormulaId rest = kAlways;
  uint32_t min = 0;
  uint32_t max = kUnbounded;
  std::vector<Contains> contains;
  std::optional<JsonId> unique;  // the keyword that requires it
  bool says_rest = false;        // whether the schema mentions items after the prefix
  // Further bounds, which are not known yet.
  std::vector<JsonId> min_slots;
  std::vector<JsonId> max_slots;

  bool has_slots() const { return !min_slots.empty() || !max_slots.empty(); }
  FormulaId item(size_t index) const { return index < prefix.size() ? prefix[index] : rest; }
};

enum class Presence : uint8_t { kOptional, kRequired, kForbidden };

struct Property {
  std::string_view name;
  FormulaId value = kAlways;
  Presence presence = Presence::kOptional;
  JsonId origin;             // the place that mentions it
  bool is_declared = false;  // under "properties"
};

struct Others {
  NameFilter filter;
  FormulaId value;
  JsonId origin;
};

struct ObjectCase {
  std::vector<Property> properties;  // in the order in which they were first mentioned
  std::vector<Others> others;        // hold for every property of the filter
  std::vector<Others> some;          // each holds for at least one property of the filter
  std::vector<FormulaId> names;      // formulas for all names
  std::vector<FormulaId> odd_names;  // formulas that at least one name satisfies, each
  uint32_t min = 0;
  uint32_t max = kUnbounded;
  bool says_others = false;  // whether the schema mentions undeclared properties

  Property& property(std::string_view name, JsonId origin);
  // The same for a declared property, which is placed after those declared before.
  Property& declare(std::string_view name, JsonId origin);
  const Property* find(std::string_view name) const;
};

struct CaseSet {
  bool null = false;
  std::optional<BooleanCase> boolean;
  std::vector<NumberCase> numbers;
  std::vector<StringCase> strings;
  std::vector<ArrayCase> arrays;
  std::vector<ObjectCase> objects;
  std::vector<SlotCase> slots;

  static CaseSet all(TypeSet types = kAllTypes);
  size_t size() const;
  bool is_empty() const { return size() == 0; }
  // Whether the case has no facts at all, without looking into conditions or formulas.
  bool is_all() const;
  void add(CaseSet other);
};

// Merges bounds on the number of equal items into one condition. False: no array can satisfy it.
bool add_contains(ArrayCase& c, const Contains& more);

// Whether the list has the same requirement on the same properties.
bool is_said(const std::vector<Others>& list, const Others& one);

bool is_any(const NumberCase& c);
bool is_any(const StringCase& c);
bool is_any(const ArrayCase& c);
bool is_any(const ObjectCase& c);

// The intersection of two cases, or nothing if they certainly share no value.
class Meet {
 public:
  Meet(Formulas& formulas, Conditions& conditions) : formulas_(formulas), conditions_(conditions) {}

  std::optional<NumberCase> operator()(const NumberCase& a, const NumberCase& b) const;
  std::optional<StringCase> operator()(const StringCase& a, const StringCase& b) const;
  std::optional<ArrayCase> operator()(const ArrayCase& a, const ArrayCase& b) const;
  std::optional<ObjectCase> operator()(const ObjectCase& a, const ObjectCase& b) const;

  // Whether the case contains the value.
  bool has(const StringCase& c, std::string_view value) const;

 private:
  Formulas& formulas_;
  Conditions& conditions_;
};

// Whether the filter applies to the name.
bool applies(const NameFilter& filter, std::string_view name, Conditions& conditions);

}  // namespace xg2lab::json_schema
