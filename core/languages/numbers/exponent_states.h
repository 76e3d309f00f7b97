// The states behind the letter e of a number: an exponent that is one of a set.
//
// IDEA
//   The set is ends of intervals, few of them. Reading digits after zeros in front, the machine follows each end as long
//   as what was read may become it; all else is decided by how many digits follow.
//
// EXAMPLE   {4, 5, ...}: "4", "+04", "12"; not "3", "-4". States: the sign, the first digit, after 1 to 3, and anything.
#pragma once

#include <map>
#include <vector>

#include "languages/numbers/state_pool.h"

namespace xg2lab {

// Integers: whether they are in changes at each of `changes`, which ascend.
struct ExponentSet {
  bool is_in_below = false;      // all of them
  std::vector<int64_t> changes;  // from this number on
  bool contains(int64_t exponent) const;
  friend auto operator<=>(const ExponentSet&, const ExponentSet&) = default;
};

class ExponentStates {
 public:
  explicit ExponentStates(StatePool& pool) : pool_(pool) {}
  // The state behind the e. kNowhere: the set is empty.
  uint32_t of(const ExponentSet& set);

 private:
  // Numbers from 0 on; those of an ExponentSet with one sign.
  struct Naturals {
    bool has_zero;
    std::vector<int64_t> changes;
    bool contains(int64_t number) const;
    bool is_constant_from(int64_t number) const {
      return changes.empty() || number >= changes.back();
    }
    bool changes_within(int64_t first,
                        int64_t last) const;  // first is not like last, or one between
  };
  uint32_t first_digit(const Naturals& set);
  uint32_t after(const Naturals& set, int64_t number);
  uint32_t decided(const Naturals& set, int64_t number, int64_t n_numbers);

  StatePool& pool_;
  std::map<ExponentSet, uint32_t> known_;
};

}  // namespace xg2lab
