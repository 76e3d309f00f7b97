// Whether a number is a multiple of a step, digit by digit: what is left, divided by it.
//
// IDEA
//   Before the point the rest of what was read is enough: r becomes 10 r + digit. Behind it, at place f, the rest modulo
//   that part of the step that tenfold units don't divide yet; behind the step's last place only zeros may follow.
//
//   Rests that no digits to come tell apart are one. Of 86400, only few rests reach a multiple by fewer than 5 more digits: 0 by
//   none, 8640 k by one, and so on, 33 in all. The others behave alike if they agree modulo 86400 / gcd(86400, 10^5): 108. So 141
//   states do what 86400 would.
//
// EXAMPLE   0.25: one rest before the point; behind it 0, 25, 5 (then 0), 75 ...: the multiples of 25 among 00 to 99.
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
  static constexpr uint32_t kNever = UINT32_MAX;  // no multiple any more

  // Nothing: the step's digits or places are more than `n_most`.
  static std::optional<StepReader> of(const Decimal& step, size_t n_most);

  // ---- Before the point: rests are 0 (a multiple so far) and others ----
  uint32_t first(uint32_t digit) const { return number_of(digit, 0); }
  uint32_t next(uint32_t rest, uint32_t digit) const;
  uint64_t n_rests() const { return levels_.back().first_name + levels_.back().modulus; }
  bool has_one_rest() const { return levels_.back().modulus == 1 && levels_.size() == 1; }

  // ---- Behind the point ----
  uint32_t at_point(uint32_t rest) const;
  uint32_t next_in_fraction(uint32_t rest, int64_t place,
                            uint32_t digit) const;  // the first place is 0
  int64_t n_places() const { return n_places_; }

  // ---- digit * 10^exponent: a multiple from this exponent on. Nothing: never ----
  std::optional<int64_t> least_exponent(uint32_t digit) const;
  uint64_t leading() const { return leading_; }
  bool is_power_of_ten() const { return leading_ == 1; }
  int64_t weight() const { return weight_; }

 private:
  // Rests from which `n_digits` more digits reach a multiple, and no fewer; the last level has all others.
  struct Level {
    uint64_t power;       // 10^n_digits modulo the step
    uint64_t n_texts;     // 10^n_digits
    uint64_t modulus;     // rests of this level are told apart by this
    uint32_t first_name;  // and named from here on
  };
  uint32_t number_of(uint64_t rest, size_t first_level) const;
  void make_levels();

  uint64_t leading_ = 1;          // the step's digits
  int64_t weight_ = 0;            // of the last of them
  int64_t n_places_ = 0;          // behind the point
  uint64_t unit_ = 1;             // the step in units of its last place
  std::vector<uint64_t> moduli_;  // index: place in the fraction
  std::vector<Level> levels_;
};

// The least n for which number * 10^n is a multiple. Nothing: there is none.
std::optional<int64_t> zeros_to_multiple(uint64_t number, uint64_t modulus);

}  // namespace xg2lab
