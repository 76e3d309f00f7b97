// A set of numbers in the form that the machine uses: each side of zero divided into cells, and
// divisors.
//
// IDEA
//   Bounds and excluded numbers divide the line into points and open intervals, the cells. Reading
//   digits, the machine determines the cell of a number; one bit for each cell is set if it belongs
//   to the set.
//
// EXAMPLE   minimum 1, excluded 3: the positive side has cuts 1 and 3, and the cells
//           (0,1) out, 1 in, (1,3) in, 3 out, (3,...) in.
//
// INVARIANTS
//   I1  cuts are positive and ascending; inside has 2 * cuts + 1 bits: the cell below cut i is 2i,
//       cut i itself is 2i + 1
//   I2  no cut is redundant: one of the three cells around it differs from the others
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "languages/numbers/numbers.h"

namespace xg2lab {

// The numbers of one sign, by absolute value.
struct Side {
  std::vector<Decimal> cuts;
  std::vector<bool> inside{false};
  friend bool operator==(const Side&, const Side&) = default;
};

struct NumberSet {
  Side positive;
  Side negative;
  bool has_zero = false;
  std::optional<Decimal> step;       // all numbers are multiples of it
  std::vector<Decimal> other_steps;  // no number is a multiple of any of these
};

// Nothing if the least common multiple of the steps has too many digits.
std::optional<NumberSet> number_set(const NumberConstraint& constraint);
NumberSet set_of(std::span<const Decimal> values);

}  // namespace xg2lab
