// Whether one case contains all values of another, as far as their facts alone show.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   A case with fewer facts contains more values. So each fact of the larger case must be implied
//   by a fact of the smaller case about the same thing. A formula is implied by an equal one and by
//   a conjunction that has it as a part.
//
//   {required: [a]} covers {required: [a, b]}, so in an anyOf the second adds nothing to the first.
//
// INVARIANTS
//   I1  never true if the smaller case has a value of its own; it may be false although it has none
#pragma once

#include "frontends/json_schema/cases.h"

namespace xg2lab::json_schema {

class Covering {
 public:
  // `is_strict`: an object that declares properties and doesn't mention others has no others.
  Covering(const Formulas& formulas, bool is_strict) : formulas_(formulas), is_strict_(is_strict) {}

  bool operator()(const NumberCase& large, const NumberCase& small) const;
  bool operator()(const StringCase& large, const StringCase& small) const;
  bool operator()(const ArrayCase& large, const ArrayCase& small) const;
  bool operator()(const ObjectCase& large, const ObjectCase& small) const;

 private:
  bool implies(FormulaId small, FormulaId large) const;
  bool is_within(const ObjectCase& large, const ObjectCase& small) const;

  const Formulas& formulas_;
  const bool is_strict_;
};

}  // namespace xg2lab::json_schema
