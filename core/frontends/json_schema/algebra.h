// From formulas to cases: conjunction, disjunction and complement, worked out where somebody asks.
//
// Tests: tests/json_schema/test_keywords.py, tests/differential/test_json_schema.py
//
// IDEA
//   cases(f, true) are the values of which f holds, cases(f, false) the others. "And" meets cases, "or" lists them, "not" takes
//   them away from what there is (difference.h). The parts of items and properties stay formulas, so the work ends at each
//   level, and recursion through them is no matter. Recursion without a level between (`a` is `a`) says nothing and is refused.
//
//   Exactly one of several: each without the others. Alternatives would multiply, but for three things: what can't be is dropped
//   at once (never.cc, as deep as properties are required), what another case holds is dropped (covering.h), and what two
//   cases have in common isn't said again (difference.h).
//
// INVARIANTS
//   I1  is_never(f) is never true of a formula that holds of some value; it may be false of one that holds of none
//
// COST      alternatives multiply: limits in algebra.cc. Each (formula, sign) is worked out once.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "frontends/json_schema/cases.h"
#include "frontends/json_schema/difference.h"
#include "frontends/json_schema/reader.h"

namespace xg2lab::json_schema {

class Algebra {
 public:
  Algebra(const JsonDocument& document, Formulas& formulas, Conditions& conditions, Reader& reader,
          Coverage& coverage, bool is_strict)
      : document_(document),
        formulas_(formulas),
        conditions_(conditions),
        reader_(reader),
        coverage_(coverage),
        is_strict_(is_strict),
        meet_(formulas, conditions),
        difference_(formulas, coverage, *this, meet_) {}

  const CaseSet& cases(FormulaId formula, bool holds = true);

  // Whether it is seen that no value satisfies it.
  bool is_never(FormulaId formula) { return is_never(formula, 0); }
  bool is_never(const ObjectCase& c) { return is_never(c, 0); }
  // What a property's value must be, all things that hold of its name taken together.
  FormulaId value_of(const ObjectCase& c, std::string_view name);
  FormulaId value_of(const ObjectCase& c, const Property& property);
  bool allows_name(const ObjectCase& c, std::string_view name);

  const Meet& meet() const { return meet_; }
  // The first place that a formula comes from.
  JsonId origin_of(FormulaId formula) const;

 private:
  friend class Difference;

  // What was worked out of a formula.
  struct Known {
    std::unique_ptr<const CaseSet> set;
    bool is_open = false;  // it is being worked out
  };
  Known& known(FormulaId formula, bool holds);
  CaseSet make(const Formula& formula, bool holds);
  // What atoms say together: one case a type.
  CaseSet facts(const std::vector<FormulaId>& parts);
  bool is_simple(FormulaId formula) const;
  bool says_one_thing(FormulaId formula);
  // Those of `all` of which the formula holds; of all parts, of any, of one alone.
  CaseSet within(CaseSet all, FormulaId formula);
  CaseSet all_of(CaseSet all, const std::vector<FormulaId>& parts);
  CaseSet more_of(CaseSet all, const std::vector<FormulaId>& parts);  // those that are no facts
  CaseSet any_of(CaseSet all, const std::vector<FormulaId>& parts);
  CaseSet exactly_one(const CaseSet& all, const std::vector<FormulaId>& parts);
  // For each alternative, those that may share an object with it.
  std::vector<std::vector<size_t>> overlaps(const std::vector<CaseSet>& alternatives);
  // The few texts that a property of all its objects must be; none if it has other values, or
  // others than objects.
  std::optional<std::vector<std::string_view>> texts_of(const CaseSet& set, std::string_view name);
  // Those of `all` of which the formula doesn't hold.
  CaseSet without(CaseSet all, FormulaId formula);
  CaseSet without(CaseSet all, const Formula& formula);
  CaseSet without_all_of(CaseSet all, const std::vector<FormulaId>& parts);
  CaseSet none_or_two(const CaseSet& all, const std::vector<FormulaId>& parts);

  template <class Case>
  std::vector<Case> met(const std::vector<Case>& a, const std::vector<Case>& b);
  CaseSet met(const CaseSet& a, const CaseSet& b);
  void simplify(ObjectCase& met, const ObjectCase& x, const ObjectCase& y);
  CaseSet pruned(CaseSet set);
  void drop_covered(CaseSet& set);
  static void check_size(size_t n_cases);
  void refuse_circle(FormulaId formula);

  CaseSet of_values(const std::vector<JsonId>& values);
  FormulaId is_value(JsonId value, JsonId origin);
  // Adds an atom to the one case of each type that `set` has.
  void apply(const Atom& atom, CaseSet& set);

  // What is_never came back to while it is being worked out: nothing can be said of it yet.
  struct InProgress {};
  const CaseSet* look(
      FormulaId formula);  // null: it is being worked out, or too deep below what is

  // The number is how many levels were entered: deep ones are taken to have values.
  bool is_never(FormulaId formula, int depth);
  bool is_never(const StringCase& c);
  bool is_never(const ArrayCase& c, int depth);
  bool is_never(const ObjectCase& c, int depth);
  bool is_never(const CaseSet& set, int depth);
  // Whether it is seen that no value is in both.
  bool are_apart(const ArrayCase& a, const ArrayCase& b);
  bool are_apart(const ObjectCase& a, const ObjectCase& b);
  // Whether there may be a property of the filter with such a value.
  bool can_have(const ObjectCase& c, const Others& some) { return can_have(c, some, 0); }
  bool can_have(const ObjectCase& c, const Others& some, int depth);
  // The names that such a property may have, if they are seen to be few.
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
  const bool is_strict_;
  Meet meet_;
  Difference difference_;
  std::vector<Known> known_;  // index: twice the formula's, plus 1 if it holds
  enum class Never : uint8_t { kNotAsked, kNo, kYes };
  std::vector<Never> never_;           // index: FormulaId
  std::vector<FormulaId> taken_away_;  // those that `without` is at
  int n_hops_ = 0;                     // of `within`
  int looking_ = 0;                    // how many levels of is_never are open
};

}  // namespace xg2lab::json_schema
