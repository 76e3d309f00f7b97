// Operations on sets of values, which need no machine. Read: satisfies, intersect, negations, then
// is_empty, the only one that searches. The trick of is_empty: decimals are dense, so the set can
// be finite only if it consists of multiples of a step between two bounds.
#include <algorithm>

#include "languages/numbers/numbers.h"
#include "support/budget.h"

namespace xg2lab {
namespace {

bool is_above(const Decimal& number, const std::optional<Decimal>& min, bool is_exclusive) {
  return !min || (is_exclusive ? number > *min : number >= *min);
}

bool is_below(const Decimal& number, const std::optional<Decimal>& max, bool is_exclusive) {
  return !max || (is_exclusive ? number < *max : number <= *max);
}

template <class T>
void append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

bool has_steps(const NumberConstraint& constraint) {
  return constraint.integer == Integers::kOnly || !constraint.multiples_of.empty();
}

// The number that all members of the set must be multiples of. Nothing: too many digits.
std::optional<Decimal> common_step(const NumberConstraint& constraint) {
  std::optional<Decimal> step;
  if (constraint.integer == Integers::kOnly) step = Decimal(1);
  for (const Decimal& multiple : constraint.multiples_of) {
    step = step ? least_common_multiple(*step, multiple) : multiple.magnitude();
    if (!step) return std::nullopt;
  }
  return step;
}

// Whether every multiple of `step` is a multiple of a forbidden divisor.
bool contradicts_itself(const NumberConstraint& constraint, const Decimal& step) {
  const auto divides = [&](const Decimal& other) { return step.is_multiple_of(other); };
  return (constraint.integer == Integers::kNone && step.is_integer()) ||
         std::any_of(constraint.not_multiples_of.begin(), constraint.not_multiples_of.end(),
                     divides);
}

// For a set between two bounds: tries the multiples of `step` in turn until one is permitted. A
// multiple is forbidden by a list of values or by a few divisors, so runs of forbidden multiples
// are short.
bool has_no_multiple(const NumberConstraint& constraint, const Decimal& step) {
  std::optional<Decimal> number = first_multiple(*constraint.min, step);
  for (; number && *number <= *constraint.max; number = add(*number, step)) {
    check_budget("combining bounds and divisors");
    if (satisfies(*number, constraint)) return false;
  }
  return number.has_value();
}

}  // namespace

bool satisfies(const Decimal& number, const NumberConstraint& constraint) {
  const auto divides = [&](const Decimal& step) { return number.is_multiple_of(step); };
  const auto any_of = [](const std::vector<Decimal>& list, auto&& holds) {
    return std::any_of(list.begin(), list.end(), holds);
  };
  return is_above(number, constraint.min, constraint.exclusive_min) &&
         is_below(number, constraint.max, constraint.exclusive_max) &&
         (constraint.integer != Integers::kOnly || number.is_integer()) &&
         (constraint.integer != Integers::kNone || !number.is_integer()) &&
         std::all_of(constraint.multiples_of.begin(), constraint.multiples_of.end(), divides) &&
         !any_of(constraint.not_multiples_of, divides) &&
         !any_of(constraint.excluded, [&](const Decimal& other) { return other == number; });
}

NumberConstraint intersect(NumberConstraint a, const NumberConstraint& b) {
  if (b.min && (!a.min || *b.min >= *a.min)) {
    a.exclusive_min = b.exclusive_min || (a.exclusive_min && a.min == b.min);
    a.min = b.min;
  }
  if (b.max && (!a.max || *b.max <= *a.max)) {
    a.exclusive_max = b.exclusive_max || (a.exclusive_max && a.max == b.max);
    a.max = b.max;
  }
  if (a.integer == Integers::kAny) {
    a.integer = b.integer;
  } else if (b.integer != Integers::kAny && b.integer != a.integer) {
    a.integer = Integers::kOnly;  // together with the other constraint's kNone the set is empty
    a.not_multiples_of.emplace_back(1);
  }
  append(a.multiples_of, b.multiples_of);
  append(a.not_multiples_of, b.not_multiples_of);
  append(a.excluded, b.excluded);
  return a;
}

bool is_empty(const NumberConstraint& constraint) {
  const bool has_both = constraint.min && constraint.max;
  if (has_both && *constraint.min > *constraint.max) return true;
  if (has_both && *constraint.min == *constraint.max)
    return !satisfies(*constraint.min, constraint);
  if (!has_steps(constraint)) return false;
  const std::optional<Decimal> step = common_step(constraint);
  if (!step) return false;
  if (contradicts_itself(constraint, *step)) return true;
  // There are infinitely many: one more than a common multiple of the forbidden divisors is
  // divisible by none of them.
  return has_both && has_no_multiple(constraint, *step);
}

std::vector<NumberConstraint> negations(const NumberConstraint& constraint) {
  std::vector<NumberConstraint> all;
  const auto next = [&all]() -> NumberConstraint& { return all.emplace_back(); };
  if (constraint.min) {
    NumberConstraint& below = next();
    below.max = constraint.min;
    below.exclusive_max = !constraint.exclusive_min;
  }
  if (constraint.max) {
    NumberConstraint& above = next();
    above.min = constraint.max;
    above.exclusive_min = !constraint.exclusive_max;
  }
  if (constraint.integer == Integers::kOnly) next().integer = Integers::kNone;
  if (constraint.integer == Integers::kNone) next().integer = Integers::kOnly;
  for (const Decimal& step : constraint.multiples_of) next().not_multiples_of = {step};
  for (const Decimal& step : constraint.not_multiples_of) next().multiples_of = {step};
  for (const Decimal& number : constraint.excluded) all.push_back(only(number));
  return all;
}

NumberConstraint only(const Decimal& number) {
  NumberConstraint constraint;
  constraint.min = constraint.max = number;
  return constraint;
}

}  // namespace xg2lab
