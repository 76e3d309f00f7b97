// Read: side_of (cells between bounds), then number_set (contradictory and redundant steps are
// settled here).
#include "languages/numbers/number_set.h"

#include <algorithm>

namespace xg2lab {
namespace {

NumberConstraint mirrored(const NumberConstraint& constraint) {
  NumberConstraint other;
  if (constraint.max) other.min = constraint.max->negated();
  if (constraint.min) other.max = constraint.min->negated();
  other.exclusive_min = constraint.exclusive_max;
  other.exclusive_max = constraint.exclusive_min;
  for (const Decimal& number : constraint.excluded) other.excluded.push_back(number.negated());
  return other;
}

void sort_and_join(std::vector<Decimal>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

// Drops cuts whose three cells agree.
Side without_idle_cuts(const Side& side) {
  Side kept;
  kept.inside = {side.inside[0]};
  for (size_t i = 0; i < side.cuts.size(); ++i) {
    const bool at = side.inside[2 * i + 1];
    const bool above = side.inside[2 * i + 2];
    if (kept.inside.back() == at && at == above) continue;
    kept.cuts.push_back(side.cuts[i]);
    kept.inside.push_back(at);
    kept.inside.push_back(above);
  }
  return kept;
}

// The positive numbers between the bounds, except the excluded ones.
Side side_of(const NumberConstraint& constraint) {
  Side side;
  const auto add_cut = [&side](const Decimal& number) {
    if (!number.is_zero() && !number.is_negative()) side.cuts.push_back(number);
  };
  if (constraint.min) add_cut(*constraint.min);
  if (constraint.max) add_cut(*constraint.max);
  for (const Decimal& number : constraint.excluded) add_cut(number);
  sort_and_join(side.cuts);
  NumberConstraint bounds = constraint;
  bounds.integer = Integers::kAny;
  bounds.multiples_of.clear();
  bounds.not_multiples_of.clear();
  side.inside.clear();
  Decimal below;
  for (const Decimal& cut : side.cuts) {
    side.inside.push_back((!bounds.min || *bounds.min <= below) &&
                          (!bounds.max || cut <= *bounds.max));
    side.inside.push_back(satisfies(cut, bounds));
    below = cut;
  }
  side.inside.push_back((!bounds.min || *bounds.min <= below) && !bounds.max);
  return without_idle_cuts(side);
}

// Of forbidden divisors, a multiple of another one is redundant.
std::vector<Decimal> without_repeated(std::vector<Decimal> steps) {
  sort_and_join(steps);
  std::vector<Decimal> kept;
  for (const Decimal& step : steps) {
    const auto says_it = [&](const Decimal& other) { return step.is_multiple_of(other); };
    if (std::none_of(kept.begin(), kept.end(), says_it)) kept.push_back(step);
  }
  return kept;
}

}  // namespace

std::optional<NumberSet> number_set(const NumberConstraint& constraint) {
  NumberSet set;
  std::vector<Decimal> steps = constraint.multiples_of;
  if (constraint.integer == Integers::kOnly) steps.emplace_back(1);
  for (const Decimal& step : steps) {
    set.step = set.step ? least_common_multiple(*set.step, step) : step.magnitude();
    if (!set.step) return std::nullopt;
  }
  for (const Decimal& step : constraint.not_multiples_of)
    set.other_steps.push_back(step.magnitude());
  if (constraint.integer == Integers::kNone) set.other_steps.emplace_back(1);
  set.other_steps = without_repeated(std::move(set.other_steps));
  for (const Decimal& step : set.other_steps) {
    if (set.step && set.step->is_multiple_of(step)) return NumberSet{};
  }
  set.positive = side_of(constraint);
  set.negative = side_of(mirrored(constraint));
  set.has_zero = satisfies(Decimal(), constraint);
  return set;
}

NumberSet set_of(std::span<const Decimal> values) {
  NumberSet set;
  std::vector<Decimal> all(values.begin(), values.end());
  sort_and_join(all);
  for (const Decimal& value : all) {
    if (value.is_zero()) set.has_zero = true;
    else (value.is_negative() ? set.negative : set.positive).cuts.push_back(value.magnitude());
  }
  std::reverse(set.negative.cuts.begin(), set.negative.cuts.end());
  for (Side* side : {&set.positive, &set.negative}) {
    side->inside.assign(2 * side->cuts.size() + 1, false);
    for (size_t i = 0; i < side->cuts.size(); ++i) side->inside[2 * i + 1] = true;
  }
  return set;
}

}  // namespace xg2lab
