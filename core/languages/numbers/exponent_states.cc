// Read: of (the sign), first_digit, after (a digit was read), decided (no end of an interval can be
// reached any more).
#include "languages/numbers/exponent_states.h"

#include <algorithm>

namespace xg2lab {
namespace {

bool is_in(bool is_in_below, const std::vector<int64_t>& changes, int64_t number) {
  const auto n_passed = std::upper_bound(changes.begin(), changes.end(), number) - changes.begin();
  return is_in_below != (n_passed % 2 != 0);
}

void add_digit(StatePool::Edges& edges, int digit, uint32_t to) {
  edges.add(static_cast<char>('0' + digit), to);
}

}  // namespace

bool ExponentSet::contains(int64_t exponent) const { return is_in(is_in_below, changes, exponent); }

bool ExponentStates::Naturals::contains(int64_t number) const {
  return is_in(has_zero, changes, number);
}

bool ExponentStates::Naturals::changes_within(int64_t first, int64_t last) const {
  const auto next = std::upper_bound(changes.begin(), changes.end(), first);
  return next != changes.end() && *next <= last;
}

uint32_t ExponentStates::of(const ExponentSet& set) {
  if (!set.is_in_below && set.changes.empty()) return StatePool::kNowhere;
  const auto [known, is_new] = known_.emplace(set, StatePool::kNowhere);
  if (!is_new) return known->second;
  Naturals up{set.contains(0), {}};
  Naturals down{up.has_zero, {}};
  for (int64_t change : set.changes) {
    if (change > 0) up.changes.push_back(change);
    else down.changes.push_back(1 - change);  // -e changes where e does, mirrored
  }
  std::reverse(down.changes.begin(), down.changes.end());
  const uint32_t plus = first_digit(up);
  StatePool::Edges edges;
  edges.add('+', plus);
  edges.add('-', first_digit(down));
  if (plus != StatePool::kNowhere) {
    for (const StatePool::Edge& edge : pool_.edges(plus)) edges.add(edge.lo, edge.hi, edge.to);
  }
  // Leading zeros of an unsigned exponent lead back to the state that reads digits only.
  return known->second = pool_.state(false, edges);
}

// Digits with leading zeros: after a zero the same may follow, and the number may end if 0 is in
// the set.
uint32_t ExponentStates::first_digit(const Naturals& set) {
  StatePool::Edges digits;
  StatePool::Edges after_zero;
  after_zero.add('0', StatePool::kItself);
  std::vector<uint32_t> to;
  for (int digit = 1; digit <= 9; ++digit) {
    to.push_back(after(set, digit));
    add_digit(after_zero, digit, to.back());
  }
  add_digit(digits, 0, pool_.state(set.has_zero, after_zero));
  for (int digit = 1; digit <= 9; ++digit)
    add_digit(digits, digit, to[static_cast<size_t>(digit - 1)]);
  return pool_.state(false, digits);
}

uint32_t ExponentStates::after(const Naturals& set, int64_t number) {
  bool is_decided = true;
  int64_t n_numbers = 1;
  for (int64_t first = number; !set.is_constant_from(first); first *= 10, n_numbers *= 10) {
    is_decided = is_decided && !set.changes_within(first, first + n_numbers - 1);
  }
  if (is_decided) return decided(set, number, 1);
  StatePool::Edges edges;
  for (int digit = 0; digit <= 9; ++digit) add_digit(edges, digit, after(set, 10 * number + digit));
  return pool_.state(set.contains(number), edges);
}

// The digits read represent the n_numbers numbers from `number` on, once as many digits are read as
// the longest end has. All of these numbers agree on membership.
uint32_t ExponentStates::decided(const Naturals& set, int64_t number, int64_t n_numbers) {
  StatePool::Edges edges;
  if (set.is_constant_from(number)) {
    if (!set.contains(number)) return StatePool::kNowhere;
    edges.add('0', '9', StatePool::kItself);
  } else {
    edges.add('0', '9', decided(set, number * 10, n_numbers * 10));
  }
  return pool_.state(set.contains(number), edges);
}

}  // namespace xg2lab
