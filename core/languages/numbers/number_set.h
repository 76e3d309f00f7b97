// A set of numbers as its machine sees it: each side of zero cut into cells, and steps.
//
// IDEA
//   Bounds and excluded numbers cut the line into points and what lies between them. Reading digits, the machine finds
//   the cell that a number is in; whether a cell belongs to the set is a bit.
//
// EXAMPLE   minimum 1, excluded 3: on the positive side cuts 1, 3 and cells (0,1) out, 1 in, (1,3) in, 3 out, (3,...) in.
//
// INVARIANTS
//   I1  cuts are positive and ascending, and inside has 2 * cuts + 1 bits: the cell below cut i is 2i, the cut itself 2i + 1
//   I2  no cut can be left out: one of the three cells around it differs from the others
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "languages/numbers/numbers.h"

namespace xg2lab {

// The numbers of one sign, by size.
struct Side {
  std::vector<Decimal> cuts;
  std::vector<bool> inside{false};
  friend bool operator==(const Side&, const Side&) = default;
};

struct NumberSet {
  Side positive;
  Side negative;
  bool has_zero = false;
  std::optional<Decimal> step;       // all are multiples of it
  std::vector<Decimal> other_steps;  // none is a multiple of one of these
};

// Nothing: the steps' least common multiple has too many digits.
std::optional<NumberSet> number_set(const NumberConstraint& constraint);
NumberSet set_of(std::span<const Decimal> values);

}  // namespace xg2lab
