// Read: of (the facts that the set needs), then digits before and after the point, then the ends:
// is_accepting, exponents. The trick: a fact that doesn't matter any more is set to a fixed value,
// so that equivalent rows are mostly equal.
#include "languages/numbers/number_rows.h"

#include <algorithm>
#include <numeric>

namespace xg2lab {
namespace {

constexpr size_t kMostCuts = 1'000;  // each takes a word of every row

constexpr int64_t kLarge = 16;  // programs write exponents from 16 on and up to -5
constexpr int64_t kSmall = -5;
constexpr int64_t kLeastStepWeight = -4;  // above every number written with a small exponent
constexpr int64_t kScaledPlaces =
    16;  // limit on the digits of a fraction before an exponent if remainders are needed
constexpr uint64_t kMostScaledRests = 64;  // product over all steps, at each of 16 positions
constexpr uint32_t kNever = StepReader::kNever;

int64_t n_whole(const Decimal& cut) { return std::max<int64_t>(0, cut.exponent() + 1); }
int64_t n_fraction(const Decimal& cut) { return std::max<int64_t>(0, -cut.weight()); }

// Restricts fractions before exponents to those large or small enough to occur on this side of
// zero.
ScaledFractions fractions_on(const Side& side, ScaledFractions fractions) {
  const auto has_cut = [&](auto&& holds) {
    return std::any_of(side.cuts.begin(), side.cuts.end(), holds);
  };
  const bool has_large =
      side.inside.back() || has_cut([](const Decimal& cut) { return cut.exponent() >= kLarge; });
  const bool has_small =
      side.inside.front() || has_cut([](const Decimal& cut) { return cut.exponent() <= kSmall; });
  return {fractions.large && has_large, fractions.small && has_small};
}

ReadSide read_side(const Side& side, bool has_steps) {
  ReadSide read;
  read.side = side;
  read.is_free = side.cuts.empty() && !has_steps;
  read.by_digits.resize(side.cuts.size());
  std::iota(read.by_digits.begin(), read.by_digits.end(), 0u);
  std::sort(read.by_digits.begin(), read.by_digits.end(),
            [&](uint32_t a, uint32_t b) { return side.cuts[a].digits() < side.cuts[b].digits(); });
  read.rank.resize(side.cuts.size());
  for (uint32_t i = 0; i < read.by_digits.size(); ++i) read.rank[read.by_digits[i]] = i;
  for (const Decimal& cut : side.cuts) {
    read.n_most_whole = std::max(read.n_most_whole, n_whole(cut));
    read.n_most_fraction = std::max(read.n_most_fraction, n_fraction(cut));
    read.n_most_digits = std::max(read.n_most_digits, static_cast<int64_t>(cut.digits().size()));
  }
  return read;
}

}  // namespace

std::optional<NumberRows> NumberRows::of(const NumberSet& set, size_t n_most,
                                         std::string& too_large) {
  NumberRows rows;
  std::vector<Decimal> steps;
  if (set.step) steps.push_back(*set.step);
  rows.is_first_wanted_ = set.step.has_value();
  steps.insert(steps.end(), set.other_steps.begin(), set.other_steps.end());
  const size_t n_cuts = std::max(set.positive.cuts.size(), set.negative.cuts.size());
  if (n_cuts > kMostCuts) {
    too_large = "more than " + std::to_string(kMostCuts) + " bounds and values";
    return std::nullopt;
  }
  rows.positive_ = read_side(set.positive, !steps.empty());
  rows.negative_ = read_side(set.negative, !steps.empty());
  rows.has_two_sides_ = !(set.positive == set.negative);
  rows.has_zero_ = set.has_zero;
  for (const ReadSide* side : {&rows.positive_, &rows.negative_}) {
    if (std::max(side->n_most_whole, side->n_most_fraction) > static_cast<int64_t>(n_most)) {
      too_large = "a bound with that many digits";
      return std::nullopt;
    }
  }
  // are_large: all steps are at least 0.0001 (S2b).
  bool are_large = true;
  bool excludes_large = false;  // all large numbers are multiples of a forbidden divisor
  for (const Decimal& step : steps) {
    const auto reader = StepReader::of(step, n_most);
    if (!reader) {
      too_large = "multiples of " + step.text();
      return std::nullopt;
    }
    const bool is_wanted = rows.steps_.empty() && rows.is_first_wanted_;
    excludes_large =
        excludes_large || (!is_wanted && reader->is_power_of_ten() && reader->weight() <= 0);
    are_large = are_large && step.exponent() >= kLeastStepWeight;
    rows.zeros_matter_ = rows.zeros_matter_ || !are_large || reader->weight() > 0;
    rows.has_cycles_ = rows.has_cycles_ || !reader->has_one_rest();
    rows.counts_first_digit_ = rows.counts_first_digit_ || !reader->is_power_of_ten();
    rows.steps_.push_back(*reader);
    rows.step_words_.push_back(step.text());
  }
  if (!steps.empty()) {
    // If no step is that small, numbers with small exponents aren't multiples of any step.
    rows.small_needs_rests_ = !are_large;
    uint64_t n_rests = 1;
    for (const StepReader& step : rows.steps_) {
      // A large exponent exceeds all places after the point, so the step's own places supply
      // factors that drop out of the modulus.
      const int64_t n_over = rows.small_needs_rests_ ? 0 : std::max<int64_t>(0, -step.weight());
      uint64_t modulus = step.leading();
      for (int64_t i = 0; i < n_over && i < kLarge * 2; ++i)
        modulus /= std::gcd(modulus, uint64_t{10});
      rows.scaled_steps_.push_back({modulus, step.weight() + n_over});
      n_rests = std::min(n_rests * modulus, kMostScaledRests + 1);
    }
    const bool has_rests = n_rests <= kMostScaledRests;
    const ScaledFractions fractions{has_rests && !excludes_large,
                                    are_large ? !set.step : has_rests};
    rows.positive_.fractions = fractions_on(set.positive, fractions);
    rows.negative_.fractions = fractions_on(set.negative, fractions);
  }
  rows.n_words_ = rows.rests_end() + n_cuts + steps.size();
  return rows;
}

std::string NumberRows::what_is_large(size_t n_most) const {
  for (size_t i = 0; i < steps_.size(); ++i) {
    const uint64_t n_rests = steps_[i].n_rests();
    if (n_rests > n_most)
      return "divided by " + step_words_[i] + " a number leaves one of " + std::to_string(n_rests) +
             " remainders";
  }
  return "these bounds and steps together";
}

void NumberRows::start(Row& row) const { row.assign(n_words_, 0); }

bool NumberRows::read_minus(View row, Row& to) const {
  if (row[kPhase] != kStart) return false;
  to.assign(row.begin(), row.end());
  to[kPhase] = kSign;
  to[kFlags] = has_two_sides_ ? uint32_t{kIsNegative} : 0;
  return true;
}

// ---- Before the point ----

// A leading zero is the whole part before the point.
bool NumberRows::read_digit(View row, uint32_t digit, Row& to) const {
  to.assign(row.begin(), row.end());
  switch (row[kPhase]) {
    case kStart:
    case kSign:
      if (digit != 0) {
        const Side& all = side(to).side;
        if (all.cuts.empty() && !all.inside[0]) return false;
        begin_whole(digit, to);
        return true;
      }
      to[kPhase] = kZero;
      to[kFlags] |= kIsZero | kIsRound;
      return true;
    case kZero: return false;
    case kWhole: return continue_whole(digit, to);
    default: return continue_fraction(digit, to);
  }
}

void NumberRows::begin_whole(uint32_t digit, Row& to) const {
  const ReadSide& read = side(to);
  to[kPhase] = kWhole;
  to[kPlace] = 1;
  to[kFlags] |= kIsScalable;
  to[kFirstDigit] = counts_first_digit_ ? digit : 0;
  for (size_t i = 0; i < steps_.size(); ++i) to[kRests + i] = steps_[i].first(digit);
  scale(to, digit);
  // The number is compared with each cut digit by digit from the front; a cut below 1 is smaller in
  // any case.
  for (size_t i = 0; i < read.side.cuts.size(); ++i) {
    const Decimal& cut = read.side.cuts[i];
    const auto first = static_cast<uint32_t>(cut.digits()[0] - '0');
    const bool is_over = cut.exponent() < 0 || digit > first;
    to[rests_end() + i] = is_over ? kOver : (digit == first ? kEqual : kUnder);
  }
  to[kScaledBelow] = 0;
  to[kScaledTied] = static_cast<uint32_t>(read.side.cuts.size());
  compare_scaled(0, digit, to);
}

bool NumberRows::continue_whole(uint32_t digit, Row& to) const {
  const ReadSide& read = side(to);
  const int64_t place = to[kPlace] + 1;
  bool is_over_all = true;
  for (size_t i = 0; i < read.side.cuts.size(); ++i) {
    const Decimal& cut = read.side.cuts[i];
    uint32_t& compared = to[rests_end() + i];
    // A number with more digits before the point than a cut is larger than the cut.
    if (n_whole(cut) < place) {
      compared = kOver;
    } else if (compared == kEqual) {
      const auto other = static_cast<uint32_t>(cut.digit_at(cut.exponent() + 1 - place));
      compared = digit > other ? kOver : (digit == other ? kEqual : kUnder);
    }
    is_over_all = is_over_all && n_whole(cut) < place;
  }
  for (size_t i = 0; i < steps_.size(); ++i) to[kRests + i] = steps_[i].next(to[kRests + i], digit);
  to[kPlace] = static_cast<uint32_t>(std::min(place, std::max<int64_t>(1, read.n_most_whole + 1)));
  to[kFirstDigit] = 0;
  // With two digits before the point no exponent may follow (S2), so the facts about exponents are
  // cleared.
  if (!read.is_free) to[kFlags] &= ~static_cast<uint32_t>(kIsScalable);
  std::fill(to.begin() + static_cast<std::ptrdiff_t>(scaled_rests()), to.end(), 0);
  to[kScaledBelow] = to[kScaledTied] = 0;
  return !is_over_all || read.side.inside.back();
}

// ---- After the point ----

bool NumberRows::read_point(View row, Row& to) const {
  if (row[kPhase] != kZero && row[kPhase] != kWhole) return false;
  const ReadSide& read = side(row);
  to.assign(row.begin(), row.end());
  uint32_t below = 0;
  uint32_t tied = 0;
  // After the point the number of digits is known, so each cut is below the number, tied with it,
  // or above it.
  for (size_t i = 0; i < read.side.cuts.size(); ++i) {
    const int64_t n_digits = n_whole(read.side.cuts[i]);
    const int64_t n_read = row[kPhase] == kZero ? 0 : row[kPlace];
    const bool is_equal = n_digits == n_read && (n_read == 0 || row[rests_end() + i] == kEqual);
    const bool is_over = n_digits < n_read || (n_digits == n_read && row[rests_end() + i] == kOver);
    if (is_equal) ++tied;
    else if (is_over) ++below;
    to[rests_end() + i] = 0;
  }
  to[kPhase] = kPoint;
  to[kPlace] = 0;
  to[kBelow] = below;
  to[kTied] = below + tied;
  for (size_t i = 0; i < steps_.size(); ++i) to[kRests + i] = steps_[i].at_point(row[kRests + i]);
  to[kFlags] |= kIsRound;
  return settle_fraction(to);
}

bool NumberRows::continue_fraction(uint32_t digit, Row& to) const {
  const int64_t place = to[kPlace];
  compare_fraction(digit, to);
  for (size_t i = 0; i < steps_.size(); ++i) {
    to[kRests + i] = steps_[i].next_in_fraction(to[kRests + i], place, digit);
  }
  scale(to, digit);
  if ((to[kFlags] & kIsScalable) != 0) compare_scaled(place + 1, digit, to);
  settle_scaling(digit, to);
  to[kPhase] = kFraction;
  to[kPlace] = static_cast<uint32_t>(place + 1);
  return settle_fraction(to);
}

void NumberRows::compare_fraction(uint32_t digit, Row& to) const {
  const std::vector<Decimal>& cuts = side(to).side.cuts;
  const int64_t power = -1 - static_cast<int64_t>(to[kPlace]);
  // The tied cuts ascend, so those with a smaller digit come first and drop below the number.
  uint32_t i = to[kBelow];
  while (i < to[kTied] && static_cast<uint32_t>(cuts[i].digit_at(power)) < digit) ++i;
  to[kBelow] = i;
  while (i < to[kTied] && static_cast<uint32_t>(cuts[i].digit_at(power)) == digit) ++i;
  to[kTied] = i;
}

// The same for all cuts by their digits; `place` counts from the first digit.
void NumberRows::compare_scaled(int64_t place, uint32_t digit, Row& to) const {
  const ReadSide& read = side(to);
  const auto digit_of = [&](uint32_t rank) {
    const Decimal& cut = read.side.cuts[read.by_digits[rank]];
    return static_cast<uint32_t>(cut.digit_at(cut.exponent() - place));
  };
  uint32_t i = to[kScaledBelow];
  while (i < to[kScaledTied] && digit_of(i) < digit) ++i;
  to[kScaledBelow] = i;
  while (i < to[kScaledTied] && digit_of(i) == digit) ++i;
  to[kScaledTied] = i;
}

void NumberRows::scale(Row& to, uint32_t digit) const {
  if (!counts_places(side(to))) return;
  for (size_t i = 0; i < steps_.size(); ++i) {
    uint32_t& rest = to[scaled_rests() + i];
    rest = static_cast<uint32_t>((uint64_t{rest} * 10 + digit) % scaled_steps_[i].modulus);
  }
}

// For a fraction that is not all zeros: the least exponent at which it is a multiple of the step.
std::optional<int64_t> NumberRows::least_scaled_exponent(View row, size_t step) const {
  const ScaledStep& scaled = scaled_steps_[step];
  const auto n_zeros = zeros_to_multiple(row[scaled_rests() + step], scaled.modulus);
  if (!n_zeros) return std::nullopt;
  return scaled.weight + int64_t{row[kPlace]} + *n_zeros;
}

// Decides, after a digit, whether an exponent may still follow.
void NumberRows::settle_scaling(uint32_t digit, Row& to) const {
  uint32_t& flags = to[kFlags];
  const int64_t n_places = int64_t{to[kPlace]} + 1;
  if (digit != 0) {
    if ((flags & kIsZero) != 0 && side(to).is_free) flags |= kIsScalable;
    flags &= ~static_cast<uint32_t>(kIsZero | kIsRound);
    to[kFirstDigit] = 0;
  }
  if (!has_steps()) flags &= ~static_cast<uint32_t>(kIsRound);
  if (!has_steps() || (flags & (kIsRound | kIsZero)) != 0) return;
  const ScaledFractions fractions = side(to).fractions;
  const bool is_counted = n_places <= kScaledPlaces;
  const bool may_follow =
      (fractions.large && is_counted) || (fractions.small && (is_counted || !small_needs_rests_));
  if (!may_follow) flags &= ~static_cast<uint32_t>(kIsScalable);
  if (zeros_matter_) {
    if (digit == 0) flags |= kEndsInZero;
    else flags &= ~static_cast<uint32_t>(kEndsInZero);
  }
}

// Clears the facts that don't matter any more. Returns false if no accepted number continues this
// way.
bool NumberRows::settle_fraction(Row& to) const {
  const ReadSide& read = side(to);
  uint32_t& flags = to[kFlags];
  const auto n_read = static_cast<int64_t>(to[kPlace]);
  const bool is_zero = (flags & kIsZero) != 0;
  const bool is_decided = to[kBelow] == to[kTied];
  bool is_out =
      (flags & kIsOut) != 0 || (is_decided && !is_zero && !read.side.inside[2 * to[kBelow]]);
  is_out = is_out || (is_first_wanted_ && to[kRests] == kNever);
  if (is_out) {
    flags |= kIsOut;
    to[kBelow] = to[kTied] = 0;
    for (size_t i = 0; i < steps_.size(); ++i) to[kRests + i] = kNever;
  }
  const bool is_scalable = (flags & kIsScalable) != 0;
  if (!is_scalable) {
    to[kScaledBelow] = to[kScaledTied] = to[kFirstDigit] = 0;
    if (!is_zero) flags &= ~static_cast<uint32_t>(kIsRound);
    if (is_out && !is_zero) return false;
  }
  if (!is_scalable ||
      n_read > kScaledPlaces) {  // the remainder of the digits doesn't matter any more
    flags &= ~static_cast<uint32_t>(kEndsInZero);
    std::fill(to.begin() + static_cast<std::ptrdiff_t>(scaled_rests()), to.end(), 0);
  }
  if (to[kPhase] == kPoint) return true;
  int64_t n_counted = 1;
  if (to[kBelow] != to[kTied]) n_counted = std::max(n_counted, read.n_most_fraction);
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (to[kRests + i] != kNever) n_counted = std::max(n_counted, steps_[i].n_places());
  }
  if (is_scalable && to[kScaledBelow] != to[kScaledTied]) {
    n_counted = std::max(n_counted, read.n_most_digits);
  }
  if (is_scalable && counts_places(read)) {
    n_counted = std::max(n_counted, kScaledPlaces + 1);
  }
  to[kPlace] = static_cast<uint32_t>(std::min(n_read, n_counted));
  return true;
}

// ---- Where a number may end ----

NumberRows::Place NumberRows::place_of(View row) const {
  const std::vector<Decimal>& cuts = side(row).side.cuts;
  if (row[kPhase] != kWhole) {
    const bool is_at_cut =
        row[kBelow] < row[kTied] && n_fraction(cuts[row[kBelow]]) <= int64_t{row[kPlace]};
    return {row[kBelow], is_at_cut};
  }
  Place place{0, false};
  for (size_t i = 0; i < cuts.size(); ++i) {
    const int64_t n_digits = n_whole(cuts[i]);
    const auto n_read = static_cast<int64_t>(row[kPlace]);
    const uint32_t compared = row[rests_end() + i];
    if (n_digits < n_read || (n_digits == n_read && compared == kOver)) ++place.below;
    else if (n_digits == n_read && compared == kEqual && cuts[i].is_integer())
      place.is_at_cut = true;
  }
  return place;
}

bool NumberRows::steps_hold(View row) const {
  for (size_t i = 0; i < steps_.size(); ++i) {
    const bool is_wanted = i == 0 && is_first_wanted_;
    if ((row[kRests + i] == 0) != is_wanted) return false;
  }
  return true;
}

bool NumberRows::is_accepting(View row) const {
  switch (row[kPhase]) {
    case kStart:
    case kSign:
    case kPoint: return false;
    default: break;
  }
  if ((row[kFlags] & kIsZero) != 0) return has_zero_;
  if ((row[kFlags] & kIsOut) != 0) return false;
  const Place place = place_of(row);
  return side(row).side.inside[2 * place.below + (place.is_at_cut ? 1 : 0)] && steps_hold(row);
}

// ---- Exponents ----

NumberRows::Place NumberRows::place_of_scaled(View row, int64_t exponent) const {
  const ReadSide& read = side(row);
  const int64_t n_read = row[kPhase] == kWhole ? 1 : int64_t{row[kPlace]} + 1;
  // Cuts ascend by exponent, and among equal exponents by rank.
  const std::vector<Decimal>& cuts = read.side.cuts;
  const auto index = [&](auto at) { return static_cast<size_t>(at - cuts.begin()); };
  const size_t first = index(std::ranges::lower_bound(cuts, exponent, {}, &Decimal::exponent));
  const size_t end = index(std::ranges::upper_bound(cuts, exponent, {}, &Decimal::exponent));
  const std::span<const uint32_t> ranks(read.rank.data() + first, end - first);
  const size_t n_below =
      static_cast<size_t>(std::ranges::lower_bound(ranks, row[kScaledBelow]) - ranks.begin());
  Place place{static_cast<uint32_t>(first + n_below), false};
  for (size_t i = first + n_below; i < end && read.rank[i] < row[kScaledTied]; ++i)
    place.is_at_cut = place.is_at_cut || static_cast<int64_t>(cuts[i].digits().size()) <= n_read;
  return place;
}

bool NumberRows::steps_hold_scaled(View row, int64_t exponent) const {
  if (!has_steps()) return true;
  if ((row[kFlags] & kIsRound) == 0 && row[kPhase] != kWhole) {
    const ScaledFractions fractions = side(row).fractions;
    const int64_t n_places = row[kPlace];
    const bool is_counted = n_places <= kScaledPlaces;
    if (exponent > kSmall && exponent < kLarge) return false;
    if (exponent <= kSmall && !small_needs_rests_) return fractions.small;
    if (!is_counted || !(exponent >= kLarge ? fractions.large : fractions.small)) return false;
    // The digits as an integer, times 10^(exponent - n_places). If this power is below the step's
    // weight, trailing zeros of the digits may make up for it; otherwise the number is not a
    // multiple.
    const auto is_below = [&](const StepReader& step) {
      return exponent - n_places < step.weight();
    };
    if ((row[kFlags] & kEndsInZero) != 0 && std::any_of(steps_.begin(), steps_.end(), is_below))
      return false;
    for (size_t i = 0; i < steps_.size(); ++i) {
      const bool is_wanted = i == 0 && is_first_wanted_;
      const auto least = least_scaled_exponent(row, i);
      if ((least && exponent >= *least) != is_wanted) return false;
    }
    return true;
  }
  for (size_t i = 0; i < steps_.size(); ++i) {
    const bool is_wanted = i == 0 && is_first_wanted_;
    const auto least = steps_[i].least_exponent(std::max(1u, row[kFirstDigit]));
    if ((least && exponent >= *least) != is_wanted) return false;
  }
  return true;
}

// The exponents from which on the answer may change.
void NumberRows::split_by_exponent(View row, std::vector<int64_t>& at) const {
  for (const Decimal& cut : side(row).side.cuts) {
    at.push_back(cut.exponent());
    at.push_back(cut.exponent() + 1);
  }
  if (has_steps()) at.insert(at.end(), {kLarge, kSmall + 1});
  const bool is_round = (row[kFlags] & kIsRound) != 0 || row[kPhase] == kWhole;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const auto least = is_round ? steps_[i].least_exponent(std::max(1u, row[kFirstDigit]))
                                : least_scaled_exponent(row, i);
    if (least) at.push_back(*least);
    if (!is_round) at.push_back(steps_[i].weight() + int64_t{row[kPlace]});
  }
  std::sort(at.begin(), at.end());
}

ExponentSet NumberRows::exponents(View row) const {
  const bool can_end = row[kPhase] == kZero || row[kPhase] == kWhole || row[kPhase] == kFraction;
  if (!can_end) return {};
  if ((row[kFlags] & kIsZero) != 0) return {has_zero_, {}};
  if ((row[kFlags] & kIsScalable) == 0) return {};
  const auto contains = [&](int64_t exponent) {
    const Place place = place_of_scaled(row, exponent);
    return side(row).side.inside[2 * place.below + (place.is_at_cut ? 1 : 0)] &&
           steps_hold_scaled(row, exponent);
  };
  std::vector<int64_t> at;
  split_by_exponent(row, at);
  ExponentSet set;
  set.is_in_below = contains(at.empty() ? 0 : at.front() - 1);
  bool is_in = set.is_in_below;
  for (int64_t exponent : at) {
    if (contains(exponent) == is_in) continue;
    is_in = !is_in;
    set.changes.push_back(exponent);
  }
  return set;
}

}  // namespace xg2lab
