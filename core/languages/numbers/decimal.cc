// Read: natural numbers as strings of digits, then Decimal, then the arithmetic, which scales both
// numbers to one power of ten. The trick of is_multiple_of: trailing zeros stop mattering once they
// supply every factor 2 and 5 of the step.
#include "languages/numbers/decimal.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "support/text.h"

namespace xg2lab {
namespace {

// ---- Natural numbers: digits, most significant first, no leading zero; zero is empty ----

constexpr size_t kDigitsOfWord = 18;

std::string without_leading_zeros(std::string digits) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

bool is_less(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// a + b, or a - b if b <= a: column by column from the right.
std::string combine_columns(std::string a, const std::string& b, int sign) {
  if (a.size() < b.size()) a.insert(0, b.size() - a.size(), '0');
  a.insert(0, 1, '0');
  int carry = 0;
  for (size_t i = 1; i <= a.size() && (i <= b.size() || carry != 0); ++i) {
    char& place = a[a.size() - i];
    const int digit = i <= b.size() ? b[b.size() - i] - '0' : 0;
    int sum = place - '0' + sign * digit + carry;
    carry = sum < 0 ? -1 : sum / 10;
    sum -= carry * 10;
    place = static_cast<char>('0' + sum);
  }
  return without_leading_zeros(std::move(a));
}

struct Division {
  std::string quotient;
  std::string remainder;
};

// Long division, one digit of the quotient at a time. `divisor` is not zero.
Division divide(const std::string& dividend, const std::string& divisor) {
  Division done;
  for (char digit : dividend) {
    if (digit != '0' || !done.remainder.empty()) done.remainder.push_back(digit);
    char times = '0';
    for (; !is_less(done.remainder, divisor); ++times) {
      done.remainder = combine_columns(std::move(done.remainder), divisor, -1);
    }
    done.quotient.push_back(times);
  }
  done.quotient = without_leading_zeros(std::move(done.quotient));
  return done;
}

std::string multiply(const std::string& a, const std::string& b) {
  std::string product;
  for (char digit : a) {
    if (!product.empty()) product.push_back('0');
    for (; digit > '0'; --digit) product = combine_columns(std::move(product), b, 1);
  }
  return product;
}

std::string greatest_common_divisor(std::string a, std::string b) {
  while (!b.empty()) a = std::exchange(b, divide(a, b).remainder);
  return a;
}

bool leaves_no_remainder(const std::string& digits, int64_t n_zeros, const std::string& divisor) {
  if (divisor.size() > kDigitsOfWord) {
    return divide(digits + std::string(static_cast<size_t>(n_zeros), '0'), divisor)
        .remainder.empty();
  }
  uint64_t modulus = 0;
  for (char digit : divisor) modulus = modulus * 10 + static_cast<uint64_t>(digit - '0');
  uint64_t rest = 0;
  for (char digit : digits) rest = (rest * 10 + static_cast<uint64_t>(digit - '0')) % modulus;
  for (int64_t i = 0; i < n_zeros && rest != 0; ++i) rest = rest * 10 % modulus;
  return rest == 0;
}

}  // namespace

// ---- Decimal ----

Decimal::Decimal(int64_t value) {
  const uint64_t size = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  *this = of(value < 0, std::to_string(size), 0);
}

Decimal Decimal::of(bool is_negative, std::string digits, int64_t weight) {
  Decimal made;
  const size_t last = digits.find_last_not_of('0');
  if (last == std::string::npos) return made;
  weight += static_cast<int64_t>(digits.size() - 1 - last);
  digits.resize(last + 1);
  made.digits_ = without_leading_zeros(std::move(digits));
  made.exponent_ = weight + static_cast<int64_t>(made.digits_.size()) - 1;
  made.is_negative_ = is_negative;
  return made;
}

std::optional<Decimal> Decimal::read(std::string_view number) {
  size_t at = 0;
  const auto takes = [&](char byte) {
    const bool is_there = at < number.size() && number[at] == byte;
    at += is_there ? 1 : 0;
    return is_there;
  };
  const auto digits_here = [&] {
    const size_t begin = at;
    while (at < number.size() && '0' <= number[at] && number[at] <= '9') ++at;
    return std::string(number.substr(begin, at - begin));
  };
  const bool is_negative = takes('-');
  std::string digits = digits_here();
  if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
  int64_t weight = 0;
  if (takes('.')) {
    const std::string fraction = digits_here();
    if (fraction.empty()) return std::nullopt;
    digits += fraction;
    weight = -static_cast<int64_t>(fraction.size());
  }
  if (takes('e') || takes('E')) {
    const bool is_down = takes('-');
    if (!is_down) takes('+');
    const std::string written = digits_here();
    if (written.empty()) return std::nullopt;
    const std::string size = without_leading_zeros(written);
    const int64_t power = size.size() > kDigitsOfWord ? INT64_MAX / 4 : std::stoll("0" + size);
    weight += is_down ? -power : power;
  }
  if (at != number.size()) return std::nullopt;
  Decimal read = of(is_negative, std::move(digits), weight);
  if (std::abs(read.exponent_) > kMostExponent) return std::nullopt;
  return read;
}

Decimal Decimal::negated() const {
  Decimal other = *this;
  other.is_negative_ = !is_negative_ && !is_zero();
  return other;
}

bool Decimal::is_multiple_of(const Decimal& step) const {
  if (is_zero() || step.is_zero()) return is_zero();
  // The last digit is not zero, so a number of lower weight is not a multiple of the step.
  if (weight() < step.weight()) return false;
  // upper bound on the factors 2, and on the factors 5
  const auto n_factors = static_cast<int64_t>(4 * step.digits_.size());
  const int64_t n_zeros = std::min(weight() - step.weight(), n_factors);
  return leaves_no_remainder(digits_, n_zeros, step.digits_);
}

std::string Decimal::text() const {
  constexpr int64_t kShort = 21;
  if (is_zero()) return "0";
  const std::string sign = is_negative_ ? "-" : "";
  if (exponent_ < -7 || exponent_ >= kShort) {
    const std::string fraction = digits_.size() > 1 ? "." + digits_.substr(1) : "";
    return concat(sign, digits_[0], fraction, "e", exponent_);
  }
  if (exponent_ < 0)
    return concat(sign, "0.", std::string(static_cast<size_t>(-exponent_ - 1), '0'), digits_);
  const auto n_whole = static_cast<size_t>(exponent_ + 1);
  if (digits_.size() <= n_whole)
    return concat(sign, digits_, std::string(n_whole - digits_.size(), '0'));
  return sign + digits_.substr(0, n_whole) + "." + digits_.substr(n_whole);
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  const auto sign = [](const Decimal& number) {
    return number.is_negative() ? -1 : (number.is_zero() ? 0 : 1);
  };
  if (sign(a) != sign(b) || a.is_zero()) return sign(a) <=> sign(b);
  const Decimal& low = a.is_negative() ? b : a;
  const Decimal& high = a.is_negative() ? a : b;
  if (low.exponent() != high.exponent()) return low.exponent() <=> high.exponent();
  return low.digits().compare(high.digits()) <=> 0;
}

// ---- Arithmetic ----

namespace {

// Two numbers as integers in units of the same power of ten.
struct Aligned {
  std::string a;
  std::string b;
  int64_t weight;
};

std::optional<Aligned> align(const Decimal& a, const Decimal& b) {
  Aligned both{a.digits(), b.digits(), std::min(a.weight(), b.weight())};
  if (a.is_zero()) both.weight = b.weight();
  if (b.is_zero()) both.weight = a.weight();
  const auto lengthen = [&both](std::string& digits, const Decimal& number) {
    if (number.is_zero()) return true;
    const int64_t n_zeros = number.weight() - both.weight;
    if (n_zeros + static_cast<int64_t>(digits.size()) > kMostDigits) return false;
    digits.append(static_cast<size_t>(n_zeros), '0');
    return true;
  };
  if (!lengthen(both.a, a) || !lengthen(both.b, b)) return std::nullopt;
  return both;
}

}  // namespace

std::optional<Decimal> add(const Decimal& a, const Decimal& b) {
  auto both = align(a, b);
  if (!both) return std::nullopt;
  if (a.is_negative() == b.is_negative()) {
    return Decimal::of(a.is_negative(), combine_columns(both->a, both->b, 1), both->weight);
  }
  const bool b_is_more = is_less(both->a, both->b);
  if (b_is_more) std::swap(both->a, both->b);
  return Decimal::of(b_is_more ? b.is_negative() : a.is_negative(),
                     combine_columns(both->a, both->b, -1), both->weight);
}

std::optional<Decimal> first_multiple(const Decimal& from, const Decimal& step) {
  if (from.is_multiple_of(step)) return from;
  const auto both = align(from, step);
  if (!both) return std::nullopt;
  const std::string rest = divide(both->a, both->b).remainder;
  // Rounds toward zero if `from` is negative, otherwise up.
  const std::string below = combine_columns(both->a, rest, -1);
  if (from.is_negative()) return Decimal::of(true, below, both->weight);
  return Decimal::of(false, combine_columns(below, both->b, 1), both->weight);
}

std::optional<Decimal> least_common_multiple(const Decimal& a, const Decimal& b) {
  if (a.is_multiple_of(b)) return a.magnitude();
  if (b.is_multiple_of(a)) return b.magnitude();
  const auto both = align(a, b);
  constexpr size_t kMostForEuclid = 1000;
  if (!both || both->a.size() + both->b.size() > kMostForEuclid) return std::nullopt;
  const std::string divisor = greatest_common_divisor(both->a, both->b);
  return Decimal::of(false, multiply(divide(both->a, divisor).quotient, both->b), both->weight);
}

}  // namespace xg2lab
