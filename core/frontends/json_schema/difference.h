// The difference of two cases: the values of the first that the second doesn't contain.
//
// Tests: tests/json_schema/test_keywords.py, tests/differential/test_json_schema.py
//
// IDEA
//   A case is a conjunction of facts, so a value outside the case violates one of them. A fact that
//   the first case implies can't be violated in it and yields no part: the more similar the cases,
//   the fewer the parts. For objects, each part is for the first violated fact, so the parts are
//   disjoint; if several cases are subtracted, most combinations contradict each other and vanish:
//
//   c without {a, b required}      =  c without a;  c with a, without b
//
//   The requirements on one property are a single fact, whether or not the property is required:
//
//   c without {a required, a: integer}      =  c, where a, if present, is not an integer
//
// INVARIANTS
//   I1  parts contain only values of the first case; such a value is in no part if and only if the
//       second case contains it
//   I2  a case that is disjoint from the second case is returned unchanged
//
// SEE ALSO  the disjoint sharp operation of logic minimization (Hong, Cain, Ostapko 1974).
#pragma once

#include <vector>

#include "frontends/json_schema/cases.h"
#include "frontends/json_schema/coverage.h"

namespace xg2lab::json_schema {

class Algebra;

class Difference {
 public:
  Difference(Formulas& formulas, Coverage& coverage, Algebra& algebra, const Meet& meet)
      : formulas_(formulas), coverage_(coverage), algebra_(algebra), meet_(meet) {}

  CaseSet operator()(CaseSet all, const CaseSet& without) const;

 private:
  template <class Case>
  void subtract_each(std::vector<Case>& all, const std::vector<Case>& without) const;
  void subtract(const NumberCase& c, const NumberCase& d, std::vector<NumberCase>& out) const;
  void subtract(const StringCase& c, const StringCase& d, std::vector<StringCase>& out) const;
  void subtract(const ArrayCase& c, const ArrayCase& d, std::vector<ArrayCase>& out) const;
  void subtract(const ObjectCase& c, const ObjectCase& d, std::vector<ObjectCase>& out) const;
  // Returns whether anything is left of `rest`, which becomes the part in which this property
  // satisfies d.
  bool subtract_property(ObjectCase& rest, const Property& property,
                         std::vector<ObjectCase>& out) const;
  void subtract_others(ObjectCase& rest, const ObjectCase& d, std::vector<ObjectCase>& out) const;

  Formulas& formulas_;
  Coverage& coverage_;
  Algebra& algebra_;
  const Meet& meet_;
};

}  // namespace xg2lab::json_schema
