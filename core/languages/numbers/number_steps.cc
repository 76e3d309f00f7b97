// Read: of (the remainders at each place), make_levels and number_of (equivalent remainders before
// the point).
#include "languages/numbers/number_steps.h"

#include <algorithm>
#include <numeric>

namespace xg2lab {
namespace {

constexpr uint64_t kMostUnits = 1'000'000'000;

}  // namespace

std::optional<StepReader> StepReader::of(const Decimal& step, size_t n_most) {
  constexpr size_t kMostStepDigits = 10;
  if (step.digits().size() > kMostStepDigits ||
      step.exponent() >= static_cast<int64_t>(kMostStepDigits) ||
      step.weight() < -static_cast<int64_t>(n_most)) {
    return std::nullopt;
  }
  StepReader reader;
  reader.leading_ = std::stoull(step.digits());
  reader.weight_ = step.weight();
  reader.n_places_ = std::max<int64_t>(0, -step.weight());
  reader.unit_ = reader.leading_;
  for (int64_t i = 0; i < step.weight(); ++i) reader.unit_ *= 10;
  if (reader.unit_ > kMostUnits) return std::nullopt;
  // At place f the number so far is in units of 10^-f: it is a multiple if these units, with the
  // zeros still to come, are.
  uint64_t modulus = reader.unit_;
  reader.moduli_.push_back(modulus);
  for (int64_t place = 0; place < reader.n_places_; ++place) {
    modulus /= std::gcd(modulus, uint64_t{10});
    reader.moduli_.push_back(modulus);
  }
  std::reverse(reader.moduli_.begin(), reader.moduli_.end());
  reader.make_levels();
  return reader;
}

// Chooses the number of levels with the fewest names. If a fraction may follow, remainders before
// the point are not merged.
void StepReader::make_levels() {
  const uint64_t modulus = moduli_.front();
  size_t n_best = 0;
  uint64_t fewest = modulus;
  uint64_t n_reaching = 0;
  uint64_t n_texts = 1;
  for (size_t n = 1; n_places_ == 0 && n_texts < modulus; ++n) {
    n_reaching += n_texts / std::gcd(modulus, n_texts);
    n_texts *= 10;
    const uint64_t n_others = modulus / std::gcd(modulus, n_texts);
    if (n_others + n_reaching >= fewest) continue;
    fewest = n_others + n_reaching;
    n_best = n;
  }
  n_texts = 1;
  uint32_t name = 0;
  for (size_t n = 0; n <= n_best; ++n, n_texts *= 10) {
    const bool is_zero_alone = n == 0 && n_best > 0;
    const uint64_t told_apart = modulus / std::gcd(modulus, n_texts);
    levels_.push_back({n_texts % modulus, n_texts, told_apart, name});
    name += is_zero_alone ? 1 : static_cast<uint32_t>(told_apart);
  }
}

// The name of a remainder that doesn't reach a multiple in fewer digits than those of
// `first_level`.
uint32_t StepReader::number_of(uint64_t rest, size_t first_level) const {
  const uint64_t modulus = moduli_.front();
  for (size_t i = first_level; i + 1 < levels_.size(); ++i) {
    const Level& level = levels_[i];
    const uint64_t ahead = rest % modulus * level.power % modulus;
    if ((modulus - ahead) % modulus < level.n_texts) {
      return level.first_name + static_cast<uint32_t>(i == 0 ? 0 : rest % level.modulus);
    }
  }
  return levels_.back().first_name + static_cast<uint32_t>(rest % levels_.back().modulus);
}

uint32_t StepReader::next(uint32_t rest, uint32_t digit) const {
  size_t level = levels_.size() - 1;
  while (rest < levels_[level].first_name) --level;
  const uint64_t known = rest - levels_[level].first_name;
  return number_of(10 * known + digit, level == 0 ? 0 : level - 1);
}

uint32_t StepReader::at_point(uint32_t rest) const {
  return n_places_ > 0 || rest == 0 ? rest : kNever;
}

uint32_t StepReader::next_in_fraction(uint32_t rest, int64_t place, uint32_t digit) const {
  if (rest == kNever || place >= n_places_) return digit == 0 ? rest : kNever;
  const uint64_t now = (uint64_t{rest} * 10 + digit) % moduli_[static_cast<size_t>(place + 1)];
  return place + 1 < n_places_ || now == 0 ? static_cast<uint32_t>(now) : kNever;
}

std::optional<int64_t> StepReader::least_exponent(uint32_t digit) const {
  const auto n_zeros = zeros_to_multiple(digit, leading_);
  return n_zeros ? std::optional(weight_ + *n_zeros) : std::nullopt;
}

std::optional<int64_t> zeros_to_multiple(uint64_t number, uint64_t modulus) {
  constexpr int64_t kMostFactors = 31;  // of 2, in a number of at most kMostUnits
  for (int64_t n_zeros = 0; n_zeros <= kMostFactors; ++n_zeros, number = number * 10 % modulus) {
    if (number % modulus == 0) return n_zeros;
  }
  return std::nullopt;
}

}  // namespace xg2lab
