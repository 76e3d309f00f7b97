// From formulas to cases: conjunction, disjunction and complement, worked out where somebody asks.
//
// Tests: tests/json_schema/test_keywords.py, tests/differential/test_json_schema.py
//
// IDEA
//   cases(f, true) are the values of which f holds, cases(f, false) the others. "And" meets cases, "or" lists them, "not" changes the
//   sign on the way down, and at the bottom each atom knows its own complement: not "at least 5 items" is "at most 4", not "all others
//   are strings" is "some other is no string". The parts of items and properties stay formulas, so the work ends at each
//   level, and recursion through them is no matter. Recursion without a level between (`a` is `a`) says nothing and is refused.
//
//   Exactly one of several: where two of them can't hold together, nothing has to be done. Whether they can is asked of the cases of
//   both, as deep as properties are required.
//
// INVARIANTS
//   I1  is_never(f) is never true of a formula that holds of some value; it may be false of one that holds of none
//
// COST      alternatives multiply: limits in cases.cc. Each (formula, sign) is worked out once.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "frontends/json_schema/cases.h"
#include "frontends/json_schema/reader.h"

namespace xg2lab::json_schema {

class Algebra {
 public:
  Algebra(const JsonDocument& document, Formulas& formulas, Conditions& conditions, Reader& reader,
          Coverage& coverage)
      : document_(document),
        formulas_(formulas),
        conditions_(conditions),
        reader_(reader),
        coverage_(coverage),
        meet_(formulas, conditions) {}

  const CaseSet& cases(FormulaId formula, bool holds = true);

  // Whether it is seen that no value satisfies it.
  bool is_never(FormulaId formula) { return is_never(formula, 0); }
  bool is_never(const ObjectCase& c) { return is_never(c, 0); }
  // What a property's value must be, all things that hold of its name taken together.
  FormulaId value_of(const ObjectCase& c, std::string_view name);
  bool allows_name(const ObjectCase& c, std::string_view name);

  const Meet& meet() const { return meet_; }

 private:
  CaseSet make(const Formula& formula, bool holds);
  CaseSet all_of(const std::vector<FormulaId>& parts, bool holds);
  CaseSet any_of(const std::vector<FormulaId>& parts, bool holds);
  CaseSet exactly_one(const std::vector<FormulaId>& parts);
  CaseSet none_or_two(const std::vector<FormulaId>& parts);
  CaseSet of_values(const std::vector<JsonId>& values);
  CaseSet other_than(JsonId value);
  FormulaId is_value(JsonId value, JsonId origin);
  // Adds an atom to the one case of each type that `set` has.
  void apply(const Atom& atom, CaseSet& set);
  CaseSet complement(const Atom& atom);

  // What is_never came back to while it is being worked out: nothing can be said of it yet.
  struct InProgress {};

  // The number is how many levels were entered: deep ones are taken to have values.
  bool is_never(FormulaId formula, int depth);
  bool is_never(const StringCase& c);
  bool is_never(const ArrayCase& c, int depth);
  bool is_never(const ObjectCase& c, int depth);
  bool is_never(const CaseSet& set, int depth);

  const JsonDocument& document_;
  Formulas& formulas_;
  Conditions& conditions_;
  Reader& reader_;
  Coverage& coverage_;
  Meet meet_;
  std::map<std::pair<FormulaId, bool>, std::unique_ptr<const CaseSet>> known_;  // null: being made
  std::map<FormulaId, bool> never_;
  int looking_ = 0;  // how many levels of is_never are open
};

}  // namespace xg2lab::json_schema
