// Decides digit by digit whether a number is a multiple of a step, by its remainder.
//
// IDEA
//   Before the point the remainder r of the digits read suffices: a digit makes it 10 r + digit.
//   After the point, at place f, the state is the remainder modulo the part of the step that is not
//   yet covered by powers of ten; after the step's last place only zeros may follow.
//
//   Remainders that no further digits distinguish are merged. For 86400, few remainders reach a
//   multiple in fewer than 5 more digits: 0 with none, 8640 k with one, and so on, 33 in all. The
//   other remainders are equivalent if they agree modulo 86400 / gcd(86400, 10^5) = 108. So 141
//   states replace 86400.
//
// EXAMPLE   0.25: one remainder before the point; after it 0, 25, 5 (then 0), 75 ...: the multiples
//           of 25 among 00 to 99.
//
// SEE ALSO  Alexeev 2004, "Minimal DFAs for testing divisibility".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "languages/numbers/decimal.h"

namespace xg2lab {

class StepReader {
 public:
  static constexpr uint32_t kNever = UINT32_MAX;  // no multiple can be reached

  // Nothing if the step has more than `n_most` digits or places.
  static std::optional<StepReader> of(const Decimal& step, size_t n_most);

  // ---- Before the point: a remainder is 0 (a multiple so far) or not ----
  uint32_t first(uint32_t digit) const { return number_of(digit, 0); }
  uint32_t next(uint32_t rest, uint32_t digit) const;
  uint64_t n_rests() const { return levels_.back().first_name + levels_.back().modulus; }
  bool has_one_rest() const { return levels_.back().modulus == 1 && levels_.size() == 1; }

  // ---- After the point ----
  uint32_t at_point(uint32_t rest) const;
  uint32_t next_in_fraction(uint32_t rest, int64_t place,
                            uint32_t digit) const;  // the first place is 0
  int64_t n_places() const { return n_places_; }

  // ---- digit * 10^exponent: the least exponent at which it is a multiple. Nothing: none ----
  std::optional<int64_t> least_exponent(uint32_t digit) const;
  uint64_t leading() const { return leading_; }
  bool is_power_of_ten() const { return leading_ == 1; }
  int64_t weight() const { return weight_; }

 private:
  // The remainders that reach a multiple in exactly `n_digits` more digits, and no fewer; the last
  // level has all others.
  struct Level {
    uint64_t power;       // 10^n_digits modulo the step
    uint64_t n_texts;     // 10^n_digits
    uint64_t modulus;     // remainders of this level are equivalent modulo this
    uint32_t first_name;  // their names are numbered from here
  };
  uint32_t number_of(uint64_t rest, size_t first_level) const;
  void make_levels();

  uint64_t leading_ = 1;          // the step's digits as an integer
  int64_t weight_ = 0;            // the power of ten of the last digit
  int64_t n_places_ = 0;          // digits after the point
  uint64_t unit_ = 1;             // the step in units of its last place
  std::vector<uint64_t> moduli_;  // index: place in the fraction
  std::vector<Level> levels_;
};

// The least n for which number * 10^n is a multiple of the modulus. Nothing: none.
std::optional<int64_t> zeros_to_multiple(uint64_t number, uint64_t modulus);

}  // namespace xg2lab
