// One case without another: the values that the first has and the second has not.
//
// Tests: tests/json_schema/test_keywords.py, tests/differential/test_json_schema.py
//
// IDEA
//   A case is several facts together, so what it leaves out fails one of them. A fact that the first case implies can't fail in it
//   and gives nothing: the more alike two cases are, the less is left to say. Of objects the first fact that fails counts, so no two
//   parts have a value in common, and where several cases are taken away, most of what could multiply contradicts itself:
//
//     c without {a, b required}      c without a;  c with a, without b
//
//   What a case says of one property is one fact, whether it asks for the property or not:
//
//     c without {a required, a: integer}      c, with a property a that is no integer, if there is one
//
// INVARIANTS
//   I1  parts are of the first case alone, and a value of it is in none exactly if it is in the second
//   I2  what has nothing in common with the second case comes back as it was
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
  // Whether anything is left of `rest`, the part of which this property is as it is in d.
  bool subtract_property(ObjectCase& rest, const Property& property,
                         std::vector<ObjectCase>& out) const;
  void subtract_others(ObjectCase& rest, const ObjectCase& d, std::vector<ObjectCase>& out) const;

  Formulas& formulas_;
  Coverage& coverage_;
  Algebra& algebra_;
  const Meet& meet_;
};

}  // namespace xg2lab::json_schema
