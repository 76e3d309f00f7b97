// Formulas: a schema's requirements on a value, as conditions joined by "and", "or" and "not".
//
// Tests: tests/json_schema/test_keywords.py, tests/differential/test_json_schema.py
//
// IDEA
//   A schema is the conjunction of its keywords. Some keywords constrain the value itself ("type",
//   "minimum", "required") and become *atoms*. Others combine schemas ("allOf", "not", "if"). Equal
//   formulas share one id. Nothing is expanded here: the formula of an item or a property refers to
//   a schema that has not been read yet, so recursive schemas are finite, and the cost of a schema
//   is that of its used parts.
//
// EXAMPLE   {"type": "string", "not": {"const": "a"}}  ->  and(schema's own atoms, not(value "a"))
//
// INVARIANTS
//   I1  equal formulas have equal ids, up to the order and repetition of parts of "and" and "or"
//   I2  an atom about one type is true of all values of other types ("minimum" is true of strings)
//
// SEE ALSO  JSON Schema 2020-12, core section 7.6 (each assertion applies to one type).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "frontends/json_schema/conditions.h"
#include "frontends/json_schema/references.h"
#include "languages/numbers/numbers.h"
#include "support/ids.h"
#include "support/json_value.h"
#include "support/stable_array.h"

namespace xg2lab::json_schema {

using FormulaId = Id<struct FormulaTag>;
inline constexpr FormulaId kAlways{0u};
inline constexpr FormulaId kNever{1u};
inline constexpr FormulaId kUnknown{2u};  // of a relaxed keyword: neither true nor false is known

constexpr uint32_t kUnbounded = UINT32_MAX;

enum class JsonType : uint8_t { kNull, kBoolean, kNumber, kString, kArray, kObject };
constexpr size_t kNumberOfTypes = 6;
using TypeSet = uint8_t;  // bit: JsonType
constexpr TypeSet kAllTypes = (1u << kNumberOfTypes) - 1;
constexpr TypeSet bit_of(JsonType type) {
  return static_cast<TypeSet>(1u << static_cast<int>(type));
}

// The properties that a condition applies to: those that match `pattern`; without a pattern, those
// that have none of the names and match none of the patterns.
struct NameFilter {
  std::optional<ConditionId> pattern;
  std::vector<std::string_view> except_names;  // sorted
  std::vector<ConditionId> except_patterns;    // sorted
  friend auto operator<=>(const NameFilter&, const NameFilter&) = default;
};

// ---- Atoms, by type ----
struct TypeAtom {
  TypeSet types = kAllTypes;
  bool only_integers = false;   // of the numbers
  bool plain_integers = false;  // written without a decimal point, as in draft-04
};
struct ValueAtom {
  std::vector<JsonId> values;  // const, enum
};
struct NumberAtom {
  std::shared_ptr<const NumberConstraint>
      constraint;  // allocated separately: atoms are many, and few concern numbers
};
struct LengthAtom {
  uint32_t min = 0;
  uint32_t max = kUnbounded;
};
struct TextAtom {
  ConditionId condition;
};
struct ItemAtom {  // items from `from` on, before `to`
  uint32_t from;
  uint32_t to;  // exclusive
  FormulaId item;
};
struct SlotAtom {  // const, enum: values that are not known yet
  JsonId slot;
  TypeSet types = kAllTypes;   // of the values
  std::vector<JsonId> beside;  // the keywords that stand beside it
};
struct SizeAtom {  // of arrays
  uint32_t min = 0;
  uint32_t max = kUnbounded;
  std::optional<JsonId> min_slot{};  // instead of the number
  std::optional<JsonId> max_slot{};
};
struct ContainsAtom {  // the number of items from `from` on that satisfy a formula
  FormulaId item;
  uint32_t min = 1;
  uint32_t max = kUnbounded;
  uint32_t from = 0;
};
struct UniqueAtom {};
struct PropertyAtom {
  std::string_view name;
  FormulaId value;
};
struct PresenceAtom {
  std::string_view name;
};
struct OthersAtom {  // all properties of the filter satisfy a formula
  NameFilter filter;
  FormulaId value;
};
struct NamesAtom {  // all names satisfy a formula
  FormulaId name;
};
struct CountAtom {  // of properties
  uint32_t min = 0;
  uint32_t max = kUnbounded;
};

using AtomContent = std::variant<TypeAtom, ValueAtom, SlotAtom, NumberAtom, LengthAtom, TextAtom,
                                 ItemAtom, SizeAtom, ContainsAtom, UniqueAtom, PropertyAtom,
                                 PresenceAtom, OthersAtom, NamesAtom, CountAtom>;

struct Atom {
  AtomContent content;
  JsonId origin;  // the keyword's value, for messages and spans
};

enum class FormulaKind : uint8_t {
  kAlways,
  kNever,
  kUnknown,
  kAtom,    // `index`: into the atoms
  kSchema,  // `index`: JsonId of a schema; `scope`: the scope in which it is reached
  kNot,     // one part
  kAnd,
  kOr,
  kOneOf,  // exactly one of the parts, which may be equal
};

struct Formula {
  FormulaKind kind;
  uint32_t index = 0;
  std::vector<FormulaId> parts;  // kAnd, kOr: sorted, without duplicates
  ScopeId scope{};               // kSchema
  friend bool operator==(const Formula&, const Formula&) = default;
};

class Formulas {
 public:
  Formulas();
  FormulaId schema(JsonId node, ScopeId scope) {
    return intern({FormulaKind::kSchema, node.value, {}, scope});
  }
  FormulaId atom(AtomContent content, JsonId origin);  // a new formula each time
  FormulaId negate(FormulaId formula);
  FormulaId all_of(std::vector<FormulaId> parts);
  FormulaId any_of(std::vector<FormulaId> parts);
  FormulaId one_of(std::vector<FormulaId> parts);
  FormulaId both(FormulaId a, FormulaId b) { return a == b ? a : all_of({a, b}); }

  // The references stay valid when more formulas are made.
  const Formula& formula(FormulaId id) const { return formulas_[id.index()]; }
  const Atom& atom(uint32_t index) const { return atoms_[index]; }
  size_t size() const { return formulas_.size(); }

 private:
  FormulaId add(Formula formula);
  FormulaId intern(Formula formula);
  void grow();
  FormulaId join(FormulaKind kind, std::vector<FormulaId> parts, FormulaId neutral,
                 FormulaId absorbing);

  StableArray<Formula> formulas_;
  StableArray<Atom> atoms_;
  // A hash table of the formulas except atoms, which are always distinct; capacity a power of two,
  // at most half full.
  std::vector<uint32_t> table_;
  std::vector<uint64_t> hashes_;  // index: FormulaId
  size_t n_known_ = 0;
};

}  // namespace xg2lab::json_schema
