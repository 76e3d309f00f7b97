// Cases: a formula worked out. Each says of one type, by a fixed number of facts, which of its values are meant.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   Whatever a formula says, the values it allows are a union of cases ("an object with these properties", "a string of this
//   length"). Two cases of one type meet in one case or none; the complement of a fact about a case is a union of
//   cases again. So every combination of "and", "or", "not" comes down to a list of cases for each type.
//   What items and properties must be stays a formula: the cases of that are worked out when it is written.
//
// EXAMPLE   {"type": ["string", "null"], "maxLength": 5}  ->  string: one case, of length 0 to 5; null: one case.
//
// INVARIANTS
//   I1  strings and numbers with `values` have no other facts: the facts were applied to the values
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
  std::optional<JsonId> unique;  // who asks for it
  bool says_rest = false;        // whether the schema speaks of items behind the prefix

  FormulaId item(size_t index) const { return index < prefix.size() ? prefix[index] : rest; }
};

enum class Presence : uint8_t { kOptional, kRequired, kForbidden };

struct Property {
  std::string_view name;
  FormulaId value = kAlways;
  Presence presence = Presence::kOptional;
  JsonId origin;             // where it is spoken of
  bool is_declared = false;  // under "properties"
};

struct Others {
  NameFilter filter;
  FormulaId value;
  JsonId origin;
};

struct ObjectCase {
  std::vector<Property> properties;  // in the order in which they were spoken of
  std::vector<Others> others;        // hold of every property of the filter
  std::vector<Others> some;          // hold of at least one property of the filter each
  std::vector<FormulaId> names;      // what names must be
  std::vector<FormulaId> odd_names;  // what at least one name must be, each
  uint32_t min = 0;
  uint32_t max = kUnbounded;
  bool says_others = false;  // whether the schema speaks of properties it doesn't declare

  Property& property(std::string_view name, JsonId origin);
  // The same for one that is declared: it comes behind those that were declared before.
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

  static CaseSet all(TypeSet types = kAllTypes);
  size_t size() const;
  bool is_empty() const { return size() == 0; }
  // Without looking into conditions or formulas: whether it says nothing at all.
  bool is_all() const;
  void add(CaseSet other);
};

// How many there are of the same is one condition. False: no array can satisfy it.
bool add_contains(ArrayCase& c, const Contains& more);

// Whether the same is said of the same properties in the list.
bool is_said(const std::vector<Others>& list, const Others& one);

bool is_any(const NumberCase& c);
bool is_any(const StringCase& c);
bool is_any(const ArrayCase& c);
bool is_any(const ObjectCase& c);

// Both at once, or nothing if the two are seen to have no value in common.
class Meet {
 public:
  Meet(Formulas& formulas, Conditions& conditions) : formulas_(formulas), conditions_(conditions) {}

  std::optional<NumberCase> operator()(const NumberCase& a, const NumberCase& b) const;
  std::optional<StringCase> operator()(const StringCase& a, const StringCase& b) const;
  std::optional<ArrayCase> operator()(const ArrayCase& a, const ArrayCase& b) const;
  std::optional<ObjectCase> operator()(const ObjectCase& a, const ObjectCase& b) const;

  // Whether the value is one of the case's.
  bool has(const StringCase& c, std::string_view value) const;

 private:
  Formulas& formulas_;
  Conditions& conditions_;
};

// Whether the filter is about the name.
bool applies(const NameFilter& filter, std::string_view name, Conditions& conditions);

}  // namespace xg2lab::json_schema
