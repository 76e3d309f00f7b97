// The numbers that a schema allows: a set of values, and the language of all their spellings.
//
// Twin:  xg2lab/reference/json_numbers.py
// Tests: tests/core/test_numbers.py, tests/differential/test_numbers.py
//
// IDEA
//   JSON Schema speaks of values: 1, 1.0 and 1e0 satisfy `const: 1`. So a constraint is a set of decimals, worked with
//   exactly (decimal.h), and only at the end written in digits: a deterministic machine that reads a number from its first
//   digit and knows how it compares with each bound, and what it leaves divided by each step.
//
//   {minimum: 1, maximum: 65535, integer}   "1", "65535", "443.0", "4.43e2"; not "65536", "0.5", "9e4"
//
// SPELLINGS
//   Of each value of the set, these:
//     S1  every plain decimal: any number of zeros behind the last digit that counts, -0 for 0
//     S2  with an exponent, if there is one digit before the point, not 0 (or all digits are 0): any fraction, any exponent,
//         zeros in front of it. Where values are tied to steps (integer, multiples), only those where
//           a  the fraction is nothing but zeros; or
//           b  the exponent is -5 or less, and all steps are at least 0.0001 (so no such value is a multiple of any); or
//           c  the exponent is 16 or more, or -5 or less; the fraction has at most 16 digits, and
//              if it ends in 0, its last place, scaled by the exponent, is no smaller than the
//              power of ten in any step (1200 has 10^2). The steps' digits (7 of 0.7, 12 of 1200),
//              multiplied, are 64 at most: what all digits leave divided by them has to be known
//              at each place. If all steps are at least 0.0001, factors 2 and 5 don't count that a
//              step's places have (0.125 is 1).
//     S3  on a side of zero on which nothing but the sign is asked for: every number of JSON's grammar
//   Python writes exponents from 1e16 and 1e-5 on, JavaScript from 1e21 and 1e-7 on, with one digit before the point.
//
//   Which spellings these are hangs on which steps there are: not on the bounds, nor on whether a multiple is asked for or
//   refused. So a spelling that S1 and S2 have for a constraint and for its negations is in the languages of one side
//   alone. Beyond them a language may have more or fewer spellings (the rest of JSON's grammar is not regular here: 100...0e-100
//   has to count its zeros); but never one whose value is not in the set. That makes "not" sound: it is done on sets.
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

// The numbers that satisfy all of it. Steps are not zero, and their sign says nothing.
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
// Whether no number satisfies it. Exact, unless numbers of more than kMostDigits digits had to be written out: then false.
bool is_empty(const NumberConstraint& constraint);
// Together, all numbers that don't satisfy it. Of no condition: none.
std::vector<NumberConstraint> negations(const NumberConstraint& constraint);
NumberConstraint only(const Decimal& number);

// ---- Languages ----
struct NumberLimits {
  size_t n_states = 100'000;  // before minimization
};

struct NumberLanguage {
  std::optional<FrozenFsm> machine;  // minimal, over bytes; nothing: too large
  std::string too_large;             // what asks for that many states
};

NumberLanguage number_language(const NumberConstraint& constraint, const NumberLimits& limits = {});
// Of any of these numbers: `enum`, `const`.
NumberLanguage values_language(std::span<const Decimal> values, const NumberLimits& limits = {});

// The same language for the algebra. `ascii` is deterministic, without rules and bytes beyond 0x7F.
CodePointDfa code_points_of(const FrozenFsm& ascii);

}  // namespace xg2lab
