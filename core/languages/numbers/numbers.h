// The numbers that a schema permits: a set of values, and the language of their spellings.
//
// Twin:  xg2lab/reference/json_numbers.py
// Tests: tests/core/test_numbers.py, tests/differential/test_numbers.py
//
// IDEA
//   JSON Schema constrains values: 1, 1.0 and 1e0 all satisfy `const: 1`. So a constraint is a set
//   of decimals, computed exactly (decimal.h). At the end the set becomes a deterministic machine
//   over digits that, while it reads a number, tracks how the number compares with each bound and
//   its remainder modulo each step.
//
//   {minimum: 1, maximum: 65535, integer}   "1", "65535", "443.0", "4.43e2"; not "65536", "0.5",
//                                           "9e4"
//
// SPELLINGS
//   For each value of the set, the language has these spellings:
//     S1  every plain decimal: any number of trailing zeros after the point, -0 for 0
//     S2  with an exponent, if there is one digit before the point, not 0 (or all digits are 0):
//         any fraction, any exponent, leading zeros in the exponent. If values are restricted to
//         steps (integer, multiples), only spellings for which
//           a  the fraction is all zeros; or
//           b  the exponent is -5 or less, and all steps are at least 0.0001 (so no such value is a
//              multiple of any step); or
//           c  the exponent is 16 or more, or -5 or less; the fraction has at most 16 digits, and
//              if it ends in 0, its last place, scaled by the exponent, is no smaller than the
//              power of ten in any step (1200 has 10^2). The product of the steps' digits (7 of
//              0.7, 12 of 1200) must be 64 at most, since the remainder of all digits has to be
//              tracked at each place. If all steps are at least 0.0001, the factors 2 and 5 that a
//              step's places supply don't count (0.125 counts as 1).
//     S3  on a side of zero where only the sign is constrained: every number of JSON's grammar
//   Python writes exponents from 1e16 and 1e-5 on, JavaScript from 1e21 and 1e-7 on, with one digit
//   before the point.
//
//   The set of these spellings depends only on the steps: not on the bounds, nor on whether a
//   multiple is required or forbidden. So a spelling of S1 or S2 belongs to the language of either
//   a constraint or its negation, never both. Beyond S1 and S2 a language may have more or fewer
//   spellings (the rest of JSON's grammar is not regular here: 100...0e-100 would need its zeros
//   counted), but never a spelling whose value is outside the set. Therefore "not" is sound: it is
//   computed on sets of values.
//
// COST      O(digits of the bounds * remainders), see docs/design/0019. THREADS   values, no state.
// NOT HERE  a schema's text (schema reader), strings (formats.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "automata/code_point_dfa.h"
#include "automata/fsm.h"
#include "languages/numbers/decimal.h"

namespace xg2lab {

enum class Integers : uint8_t { kAny, kOnly, kNone };

// The numbers that satisfy all members. Steps are not zero; their sign doesn't matter.
struct NumberConstraint {
  std::optional<Decimal> min;
  std::optional<Decimal> max;
  bool exclusive_min = false;
  bool exclusive_max = false;
  Integers integer = Integers::kAny;
  std::vector<Decimal> multiples_of;
  std::vector<Decimal> not_multiples_of;
  std::vector<Decimal> excluded;
};

// ---- Sets of values ----
bool satisfies(const Decimal& number, const NumberConstraint& constraint);
NumberConstraint intersect(NumberConstraint a, const NumberConstraint& b);
// Whether no number satisfies the constraint. Exact, unless numbers of more than kMostDigits digits
// would have to be written out; then false.
bool is_empty(const NumberConstraint& constraint);
// Constraints whose union is the set of numbers that don't satisfy this one. For an unrestricted
// constraint: none.
std::vector<NumberConstraint> negations(const NumberConstraint& constraint);
NumberConstraint only(const Decimal& number);

// ---- Languages ----
struct NumberLimits {
  size_t n_states = 100'000;  // before minimization
};

struct NumberLanguage {
  std::optional<FrozenFsm> machine;  // minimal, over bytes; nothing: too large
  std::string too_large;             // the constraint that needs so many states
};

NumberLanguage number_language(const NumberConstraint& constraint, const NumberLimits& limits = {});
// The language of any of these numbers, for `enum` and `const`.
NumberLanguage values_language(std::span<const Decimal> values, const NumberLimits& limits = {});

// The same language for the algebra of code_point_dfa.h. `ascii` must be deterministic, without
// rule edges and bytes beyond 0x7F.
CodePointDfa code_points_of(const FrozenFsm& ascii);

}  // namespace xg2lab
