// Exact decimal numbers of any size: the value of a JSON number.
//
// Tests: tests/core/test_numbers.py
//
// IDEA
//   A finite decimal is a sign, its digits without zeros at either end, and the power of ten of the
//   first digit. Equal values have equal parts, and comparison works on the digits as text. Binary
//   floating point is never used.
//
// EXAMPLE   -12.50 and -125e-1 are both (-, "125", 1);   0.1 is a multiple of 0.01, as it is not in
//           doubles.
//
// COST      linear in the digits; remainders O(product of both numbers of digits) beyond 18 digits.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xg2lab {

class Decimal {
 public:
  static constexpr int64_t kMostExponent = 1'000'000'000;

  Decimal() = default;  // zero
  explicit Decimal(int64_t value);
  // Nothing if `number` isn't a number by JSON's grammar, or if its first digit is at a power of
  // ten beyond kMostExponent.
  static std::optional<Decimal> read(std::string_view number);
  // The integer with these digits, times 10^weight.
  static Decimal of(bool is_negative, std::string digits, int64_t weight);

  bool is_zero() const { return digits_.empty(); }
  bool is_negative() const { return is_negative_; }
  bool is_integer() const { return weight() >= 0; }
  // Without zeros at either end; empty: the number is zero.
  const std::string& digits() const { return digits_; }
  int64_t exponent() const { return exponent_; }  // the power of ten of the first digit
  int64_t weight() const {
    return exponent_ + 1 - static_cast<int64_t>(digits_.size());
  }  // of the last digit
  // The digit at a power of ten, 0 to 9.
  int digit_at(int64_t power) const {
    const int64_t at = exponent_ - power;
    const bool is_written = 0 <= at && at < static_cast<int64_t>(digits_.size());
    return is_written ? digits_[static_cast<size_t>(at)] - '0' : 0;
  }

  Decimal negated() const;
  Decimal magnitude() const { return is_negative_ ? negated() : *this; }
  // Whether this number is an integer times `step`. Signs don't matter; only 0 is a multiple of 0.
  bool is_multiple_of(const Decimal& step) const;
  // A JSON number of this value: a plain decimal if that is short, otherwise with an exponent.
  std::string text() const;

  friend bool operator==(const Decimal&, const Decimal&) = default;
  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);

 private:
  bool is_negative_ = false;  // zero is not negative
  std::string digits_;
  int64_t exponent_ = 0;  // 0 for zero
};

// ---- Arithmetic. Nothing: more than kMostDigits digits would have to be written out ----
constexpr int64_t kMostDigits = 20'000;
std::optional<Decimal> add(const Decimal& a, const Decimal& b);
// The smallest multiple of `step` (not zero) that is not less than `from`.
std::optional<Decimal> first_multiple(const Decimal& from, const Decimal& step);
// For numbers other than zero; the result is positive.
std::optional<Decimal> least_common_multiple(const Decimal& a, const Decimal& b);

}  // namespace xg2lab
