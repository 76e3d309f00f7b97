// The states after the letter e of a number, which accept the exponents of a given set.
//
// IDEA
//   The set is given by the ends of a few intervals. While reading digits (after leading zeros),
//   the machine keeps a state for each number that may still become one of these ends; otherwise
//   only the number of further digits matters.
//
// EXAMPLE   {4, 5, ...}: "4", "+04", "12"; not "3", "-4". States: after the sign, the first digit,
//           after 1 to 3, and any other number.
#pragma once

#include <map>
#include <vector>

#include "languages/numbers/state_pool.h"

namespace xg2lab {

// A set of integers: membership changes at each of `changes`, which ascend.
struct ExponentSet {
  bool is_in_below = false;      // whether numbers below the first change belong to the set
  std::vector<int64_t> changes;  // membership changes from this number on
  bool contains(int64_t exponent) const;
  friend auto operator<=>(const ExponentSet&, const ExponentSet&) = default;
};

class ExponentStates {
 public:
  explicit ExponentStates(StatePool& pool) : pool_(pool) {}
  // The state after the e. kNowhere: the set is empty.
  uint32_t of(const ExponentSet& set);

 private:
  // The natural numbers of an ExponentSet with one sign, by absolute value.
  struct Naturals {
    bool has_zero;
    std::vector<int64_t> changes;
    bool contains(int64_t number) const;
    bool is_constant_from(int64_t number) const {
      return changes.empty() || number >= changes.back();
    }
    bool changes_within(int64_t first,
                        // membership changes after `first`, at or before `last`
                        int64_t last) const;
  };
  uint32_t first_digit(const Naturals& set);
  uint32_t after(const Naturals& set, int64_t number);
  uint32_t decided(const Naturals& set, int64_t number, int64_t n_numbers);

  StatePool& pool_;
  std::map<ExponentSet, uint32_t> known_;
};

}  // namespace xg2lab
