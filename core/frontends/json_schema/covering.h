// Whether one case holds all values of another, as far as that is seen from their facts alone.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   A case with fewer facts holds more. So each fact of the larger one has to be implied by a fact of the smaller one about
//   the same thing; formulas are implied by equal ones and by conjunctions that have them as a part.
//
//   {required: [a]} covers {required: [a, b]}, and so the second adds nothing to an anyOf that has the first.
//
// INVARIANTS
//   I1  never true where the smaller one has a value of its own; it may be false where it has none
#pragma once

#include "frontends/json_schema/cases.h"

namespace xg2lab::json_schema {

class Covering {
 public:
  // `is_strict`: objects that declare properties and speak of no others have no others.
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
