// Turns formulas into cases: conjunction, disjunction and complement, computed on demand.
//
// Tests: tests/json_schema/test_keywords.py, tests/differential/test_json_schema.py
//
// IDEA
//   cases(f, true) are the values that satisfy f, cases(f, false) the others. "And" intersects
//   cases, "or" lists them, "not" subtracts them from the remaining values (difference.h). The
//   formulas of items and properties are not expanded, so the work ends at each level, and
//   recursion through items and properties is harmless. Recursion without a level in between (`a`
//   is `a`) defines nothing and is refused.
//
//   "Exactly one of several" is each alternative without the others. The number of cases would
//   multiply, were it not for three reductions: impossible cases are dropped at once (never.cc, as
//   deep as properties are required), cases contained in another case are dropped (covering.h), and
//   facts common to two cases are not repeated (difference.h).
//
// INVARIANTS
//   I1  is_never(f) is never true if some value satisfies f; it may be false although no value does
//
// COST      cases multiply: limits in algebra.cc. Each (formula, sign) is computed once.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "frontends/json_schema/cases.h"
#include "frontends/json_schema/difference.h"
#include "frontends/json_schema/reader.h"
#include "frontends/json_schema/slots.h"

namespace xg2lab::json_schema {

class Algebra {
 public:
  Algebra(const JsonDocument& document, Formulas& formulas, Conditions& conditions, Reader& reader,
          Coverage& coverage, Slots& slots, bool is_strict)
      : document_(document),
        formulas_(formulas),
        conditions_(conditions),
        reader_(reader),
        coverage_(coverage),
        slots_(slots),
        is_strict_(is_strict),
        meet_(formulas, conditions),
        difference_(formulas, coverage, *this, meet_) {}

  const CaseSet& cases(FormulaId formula, bool holds = true);

  // Whether it is certain that no value satisfies the formula.
  bool is_never(FormulaId formula) { return is_never(formula, 0); }
  bool is_never(const ObjectCase& c) { return is_never(c, 0); }
  // The formula of a property's value: the conjunction of everything that the case requires of this
  // name.
  FormulaId value_of(const ObjectCase& c, std::string_view name);
  FormulaId value_of(const ObjectCase& c, const Property& property);
  bool allows_name(const ObjectCase& c, std::string_view name);

  // Reports the slots among the cases of a formula of whose values something has to be known.
  void refuse_slots(FormulaId formula);

  const Meet& meet() const { return meet_; }
  // The first place in the schema that a formula comes from.
  JsonId origin_of(FormulaId formula) const;

 private:
  friend class Difference;

  // The cached results for a formula.
  struct CachedCases {
    std::unique_ptr<const CaseSet> set;
    bool is_open = false;  // being computed
  };
  CachedCases& known(FormulaId formula, bool holds);
  CaseSet make(const Formula& formula, bool holds);
  // The conjunction of atoms: one case for each type.
  CaseSet facts(const std::vector<FormulaId>& parts);
  bool is_simple(FormulaId formula) const;
  bool says_one_thing(FormulaId formula);
  // The cases of `all` restricted to a formula; to all parts, to any part, to exactly one part.
  CaseSet within(CaseSet all, FormulaId formula);
  CaseSet all_of(CaseSet all, const std::vector<FormulaId>& parts);
  CaseSet more_of(CaseSet all, const std::vector<FormulaId>& parts);  // parts that are not atoms
  CaseSet any_of(CaseSet all, const std::vector<FormulaId>& parts);
  CaseSet exactly_one(const CaseSet& all, const std::vector<FormulaId>& parts);
  // For each alternative, the alternatives that may share an object with it.
  std::vector<std::vector<size_t>> overlaps(const std::vector<CaseSet>& alternatives);
  // The texts that a property has in all objects of the set, if they are few; nothing if the
  // property may have other values, or the set contains other values than objects.
  std::optional<std::vector<std::string_view>> texts_of(const CaseSet& set, std::string_view name);
  // The cases of `all` without the values that satisfy the formula.
  CaseSet without(CaseSet all, FormulaId formula);
  CaseSet without(CaseSet all, const Formula& formula);
  CaseSet without_all_of(CaseSet all, const std::vector<FormulaId>& parts);
  CaseSet none_or_two(const CaseSet& all, const std::vector<FormulaId>& parts);

  template <class Case>
  std::vector<Case> met(const std::vector<Case>& a, const std::vector<Case>& b);
  CaseSet met(const CaseSet& a, const CaseSet& b);
  // The slots of `a` that `b` allows; reports those of which only some values may be allowed.
  std::vector<SlotCase> met_slots(const CaseSet& a, const CaseSet& b);
  // Reports slots with values that may be in both sets.
  void refuse_shared_slots(const CaseSet& a, const CaseSet& b);
  void simplify(ObjectCase& met, const ObjectCase& x, const ObjectCase& y);
  CaseSet pruned(CaseSet set);
  void drop_covered(CaseSet& set);
  static void check_size(size_t n_cases);
  void refuse_circle(FormulaId formula);

  CaseSet of_values(const std::vector<JsonId>& values);
  FormulaId is_value(JsonId value, JsonId origin);
  class Restriction;
  // Adds an atom to the single case of each type in `set`.
  void apply(const Atom& atom, CaseSet& set);

  // Thrown when is_never reaches a formula that is being computed: nothing is known about it yet.
  struct InProgress {};
  const CaseSet* look(
      FormulaId formula);  // null: the formula is being computed, or nested too deep

  // `depth` counts the levels entered; formulas beyond a limit are assumed to have values.
  bool is_never(FormulaId formula, int depth);
  bool is_never(const StringCase& c);
  bool is_never(const ArrayCase& c, int depth);
  bool is_never(const ObjectCase& c, int depth);
  bool is_never(const CaseSet& set, int depth);
  // Whether it is certain that the two cases share no value.
  bool are_apart(const ArrayCase& a, const ArrayCase& b);
  bool are_apart(const ObjectCase& a, const ObjectCase& b);
  // Whether some property of the filter may have such a value.
  bool can_have(const ObjectCase& c, const Others& some) { return can_have(c, some, 0); }
  bool can_have(const ObjectCase& c, const Others& some, int depth);
  // The names that such a property may have, if they are certain to be few.
  std::optional<std::vector<std::string_view>> names_left(const ObjectCase& c, const Others& some) {
    return names_left(c, some, 0);
  }
  std::optional<std::vector<std::string_view>> names_left(const ObjectCase& c, const Others& some,
                                                          int depth);

  const JsonDocument& document_;
  Formulas& formulas_;
  Conditions& conditions_;
  Reader& reader_;
  Coverage& coverage_;
  Slots& slots_;
  const bool is_strict_;
  Meet meet_;
  Difference difference_;
  std::vector<CachedCases> known_;  // index: 2 * FormulaId, plus 1 if the formula holds
  enum class Never : uint8_t { kNotAsked, kNo, kYes };
  std::vector<Never> never_;           // index: FormulaId
  std::vector<FormulaId> taken_away_;  // formulas that `without` is processing
  int n_hops_ = 0;                     // of `within`
  int looking_ = 0;                    // number of open levels of is_never
};

}  // namespace xg2lab::json_schema
