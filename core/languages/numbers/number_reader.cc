// Read: of (the facts that the set needs), then digits before and after the point, then the ends:
// is_accepting, exponents. The trick: a fact that doesn't matter any more is set to a fixed value,
// so that equivalent states are mostly equal.
#include "languages/numbers/number_reader.h"

#include <algorithm>
#include <numeric>

#include "support/text.h"

namespace xg2lab {
namespace {

constexpr size_t kMostCuts = 1'000;  // each takes a word of every state

constexpr int64_t kLargeExponent = 16;  // programs write exponents from 16 on and up to -5
constexpr int64_t kSmallExponent = -5;
constexpr int64_t kLeastStepWeight = -4;  // above every number written with a small exponent
constexpr int64_t kMostScaledDigits =
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
  const bool has_large = side.inside.back() || has_cut([](const Decimal& cut) {
                           return cut.exponent() >= kLargeExponent;
                         });
  const bool has_small = side.inside.front() || has_cut([](const Decimal& cut) {
                           return cut.exponent() <= kSmallExponent;
                         });
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

std::optional<NumberReader> NumberReader::of(const NumberSet& set, size_t n_most,
                                             std::string& too_large) {
  NumberReader states;
  std::vector<Decimal> steps;
  if (set.step) steps.push_back(*set.step);
  states.is_first_wanted_ = set.step.has_value();
  steps.insert(steps.end(), set.other_steps.begin(), set.other_steps.end());
  const size_t n_cuts = std::max(set.positive.cuts.size(), set.negative.cuts.size());
  if (n_cuts > kMostCuts) {
    too_large = concat("more than ", kMostCuts, " bounds and values");
    return std::nullopt;
  }
  states.positive_ = read_side(set.positive, !steps.empty());
  states.negative_ = read_side(set.negative, !steps.empty());
  states.has_two_sides_ = !(set.positive == set.negative);
  states.has_zero_ = set.has_zero;
  for (const ReadSide* side : {&states.positive_, &states.negative_}) {
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
    const bool is_wanted = states.steps_.empty() && states.is_first_wanted_;
    excludes_large =
        excludes_large || (!is_wanted && reader->is_power_of_ten() && reader->weight() <= 0);
    are_large = are_large && step.exponent() >= kLeastStepWeight;
    states.zeros_matter_ = states.zeros_matter_ || !are_large || reader->weight() > 0;
    states.has_cycles_ = states.has_cycles_ || !reader->has_one_rest();
    states.counts_first_digit_ = states.counts_first_digit_ || !reader->is_power_of_ten();
    states.steps_.push_back(*reader);
    states.step_words_.push_back(step.text());
  }
  if (!steps.empty()) {
    // If no step is that small, numbers with small exponents aren't multiples of any step.
    states.small_needs_rests_ = !are_large;
    uint64_t n_rests = 1;
    for (const StepReader& step : states.steps_) {
      // A large exponent exceeds all digits after the point, so the step's own decimal places
      // supply factors that drop out of the modulus.
      const int64_t n_over = states.small_needs_rests_ ? 0 : std::max<int64_t>(0, -step.weight());
      uint64_t modulus = step.leading();
      for (int64_t i = 0; i < n_over && i < kLargeExponent * 2; ++i)
        modulus /= std::gcd(modulus, uint64_t{10});
      states.scaled_steps_.push_back({modulus, step.weight() + n_over});
      n_rests = std::min(n_rests * modulus, kMostScaledRests + 1);
    }
    const bool has_rests = n_rests <= kMostScaledRests;
    const ScaledFractions fractions{has_rests && !excludes_large,
                                    are_large ? !set.step : has_rests};
    states.positive_.fractions = fractions_on(set.positive, fractions);
    states.negative_.fractions = fractions_on(set.negative, fractions);
  }
  states.n_words_ = states.rests_end() + n_cuts + steps.size();
  return states;
}

std::string NumberReader::what_is_large(size_t n_most) const {
  for (size_t i = 0; i < steps_.size(); ++i) {
    const uint64_t n_rests = steps_[i].n_rests();
    if (n_rests > n_most)
      return concat("division by ", step_words_[i], " has ", n_rests, " possible remainders");
  }
  return "these bounds and divisors together";
}

void NumberReader::start(State& state) const { state.assign(n_words_, 0); }

bool NumberReader::read_minus(View state, State& to) const {
  if (state[kPhase] != kStart) return false;
  to.assign(state.begin(), state.end());
  to[kPhase] = kSign;
  to[kFlags] = has_two_sides_ ? uint32_t{kIsNegative} : 0;
  return true;
}

// ---- Before the point ----

// A leading zero is the whole part before the point.
bool NumberReader::read_digit(View state, uint32_t digit, State& to) const {
  to.assign(state.begin(), state.end());
  switch (state[kPhase]) {
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

void NumberReader::begin_whole(uint32_t digit, State& to) const {
  const ReadSide& read = side(to);
  to[kPhase] = kWhole;
  to[kDigitsRead] = 1;
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

bool NumberReader::continue_whole(uint32_t digit, State& to) const {
  const ReadSide& read = side(to);
  const int64_t n_read = to[kDigitsRead] + 1;
  bool is_over_all = true;
  for (size_t i = 0; i < read.side.cuts.size(); ++i) {
    const Decimal& cut = read.side.cuts[i];
    uint32_t& compared = to[rests_end() + i];
    // A number with more digits before the point than a cut is larger than the cut.
    if (n_whole(cut) < n_read) {
      compared = kOver;
    } else if (compared == kEqual) {
      const auto other = static_cast<uint32_t>(cut.digit_at(cut.exponent() + 1 - n_read));
      compared = digit > other ? kOver : (digit == other ? kEqual : kUnder);
    }
    is_over_all = is_over_all && n_whole(cut) < n_read;
  }
  for (size_t i = 0; i < steps_.size(); ++i) to[kRests + i] = steps_[i].next(to[kRests + i], digit);
  to[kDigitsRead] =
      static_cast<uint32_t>(std::min(n_read, std::max<int64_t>(1, read.n_most_whole + 1)));
  to[kFirstDigit] = 0;
  // With two digits before the point no exponent may follow (S2), so the facts about exponents are
  // cleared.
  if (!read.is_free) to[kFlags] &= ~static_cast<uint32_t>(kIsScalable);
  std::fill(to.begin() + static_cast<std::ptrdiff_t>(scaled_rests()), to.end(), 0);
  to[kScaledBelow] = to[kScaledTied] = 0;
  return !is_over_all || read.side.inside.back();
}

// ---- After the point ----

bool NumberReader::read_point(View state, State& to) const {
  if (state[kPhase] != kZero && state[kPhase] != kWhole) return false;
  const ReadSide& read = side(state);
  to.assign(state.begin(), state.end());
  uint32_t below = 0;
  uint32_t tied = 0;
  // After the point the number of digits is known, so each cut is below the number, tied with it,
  // or above it.
  for (size_t i = 0; i < read.side.cuts.size(); ++i) {
    const int64_t n_digits = n_whole(read.side.cuts[i]);
    const int64_t n_read = state[kPhase] == kZero ? 0 : state[kDigitsRead];
    const bool is_equal = n_digits == n_read && (n_read == 0 || state[rests_end() + i] == kEqual);
    const bool is_over =
        n_digits < n_read || (n_digits == n_read && state[rests_end() + i] == kOver);
    if (is_equal) ++tied;
    else if (is_over) ++below;
    to[rests_end() + i] = 0;
  }
  to[kPhase] = kPoint;
  to[kDigitsRead] = 0;
  to[kBelow] = below;
  to[kTied] = below + tied;
  for (size_t i = 0; i < steps_.size(); ++i) to[kRests + i] = steps_[i].at_point(state[kRests + i]);
  to[kFlags] |= kIsRound;
  return settle_fraction(to);
}

bool NumberReader::continue_fraction(uint32_t digit, State& to) const {
  const int64_t n_read = to[kDigitsRead];
  compare_fraction(digit, to);
  for (size_t i = 0; i < steps_.size(); ++i) {
    to[kRests + i] = steps_[i].next_in_fraction(to[kRests + i], n_read, digit);
  }
  scale(to, digit);
  if ((to[kFlags] & kIsScalable) != 0) compare_scaled(n_read + 1, digit, to);
  settle_scaling(digit, to);
  to[kPhase] = kFraction;
  to[kDigitsRead] = static_cast<uint32_t>(n_read + 1);
  return settle_fraction(to);
}

void NumberReader::compare_fraction(uint32_t digit, State& to) const {
  const std::vector<Decimal>& cuts = side(to).side.cuts;
  const int64_t power = -1 - static_cast<int64_t>(to[kDigitsRead]);
  // The tied cuts ascend, so those with a smaller digit come first and drop below the number.
  uint32_t i = to[kBelow];
  while (i < to[kTied] && static_cast<uint32_t>(cuts[i].digit_at(power)) < digit) ++i;
  to[kBelow] = i;
  while (i < to[kTied] && static_cast<uint32_t>(cuts[i].digit_at(power)) == digit) ++i;
  to[kTied] = i;
}

// The same for all cuts by their digits; `index` counts from the first digit.
void NumberReader::compare_scaled(int64_t index, uint32_t digit, State& to) const {
  const ReadSide& read = side(to);
  const auto digit_of = [&](uint32_t rank) {
    const Decimal& cut = read.side.cuts[read.by_digits[rank]];
    return static_cast<uint32_t>(cut.digit_at(cut.exponent() - index));
  };
  uint32_t i = to[kScaledBelow];
  while (i < to[kScaledTied] && digit_of(i) < digit) ++i;
  to[kScaledBelow] = i;
  while (i < to[kScaledTied] && digit_of(i) == digit) ++i;
  to[kScaledTied] = i;
}

void NumberReader::scale(State& to, uint32_t digit) const {
  if (!counts_digits(side(to))) return;
  for (size_t i = 0; i < steps_.size(); ++i) {
    uint32_t& rest = to[scaled_rests() + i];
    rest = static_cast<uint32_t>((uint64_t{rest} * 10 + digit) % scaled_steps_[i].modulus);
  }
}

// For a fraction that is not all zeros: the least exponent at which it is a multiple of the step.
std::optional<int64_t> NumberReader::least_scaled_exponent(View state, size_t step) const {
  const ScaledStep& scaled = scaled_steps_[step];
  const auto n_zeros = zeros_to_multiple(state[scaled_rests() + step], scaled.modulus);
  if (!n_zeros) return std::nullopt;
  return scaled.weight + int64_t{state[kDigitsRead]} + *n_zeros;
}

// Decides, after a digit, whether an exponent may still follow.
void NumberReader::settle_scaling(uint32_t digit, State& to) const {
  uint32_t& flags = to[kFlags];
  const int64_t n_digits = int64_t{to[kDigitsRead]} + 1;
  if (digit != 0) {
    if ((flags & kIsZero) != 0 && side(to).is_free) flags |= kIsScalable;
    flags &= ~static_cast<uint32_t>(kIsZero | kIsRound);
    to[kFirstDigit] = 0;
  }
  if (!has_steps()) flags &= ~static_cast<uint32_t>(kIsRound);
  if (!has_steps() || (flags & (kIsRound | kIsZero)) != 0) return;
  const ScaledFractions fractions = side(to).fractions;
  const bool is_counted = n_digits <= kMostScaledDigits;
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
bool NumberReader::settle_fraction(State& to) const {
  const ReadSide& read = side(to);
  uint32_t& flags = to[kFlags];
  const auto n_read = static_cast<int64_t>(to[kDigitsRead]);
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
      n_read > kMostScaledDigits) {  // the remainder of the digits doesn't matter any more
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
  if (is_scalable && counts_digits(read)) {
    n_counted = std::max(n_counted, kMostScaledDigits + 1);
  }
  to[kDigitsRead] = static_cast<uint32_t>(std::min(n_read, n_counted));
  return true;
}

// ---- Where a number may end ----

NumberReader::Cell NumberReader::cell_of(View state) const {
  const std::vector<Decimal>& cuts = side(state).side.cuts;
  if (state[kPhase] != kWhole) {
    const bool is_at_cut = state[kBelow] < state[kTied] &&
                           n_fraction(cuts[state[kBelow]]) <= int64_t{state[kDigitsRead]};
    return {state[kBelow], is_at_cut};
  }
  Cell cell{0, false};
  for (size_t i = 0; i < cuts.size(); ++i) {
    const int64_t n_digits = n_whole(cuts[i]);
    const auto n_read = static_cast<int64_t>(state[kDigitsRead]);
    const uint32_t compared = state[rests_end() + i];
    if (n_digits < n_read || (n_digits == n_read && compared == kOver)) ++cell.below;
    else if (n_digits == n_read && compared == kEqual && cuts[i].is_integer())
      cell.is_at_cut = true;
  }
  return cell;
}

bool NumberReader::steps_hold(View state) const {
  for (size_t i = 0; i < steps_.size(); ++i) {
    const bool is_wanted = i == 0 && is_first_wanted_;
    if ((state[kRests + i] == 0) != is_wanted) return false;
  }
  return true;
}

bool NumberReader::is_accepting(View state) const {
  switch (state[kPhase]) {
    case kStart:
    case kSign:
    case kPoint: return false;
    default: break;
  }
  if ((state[kFlags] & kIsZero) != 0) return has_zero_;
  if ((state[kFlags] & kIsOut) != 0) return false;
  const Cell cell = cell_of(state);
  return side(state).side.inside[2 * cell.below + (cell.is_at_cut ? 1 : 0)] && steps_hold(state);
}

// ---- Exponents ----

NumberReader::Cell NumberReader::scaled_cell_of(View state, int64_t exponent) const {
  const ReadSide& read = side(state);
  const int64_t n_read = state[kPhase] == kWhole ? 1 : int64_t{state[kDigitsRead]} + 1;
  // Cuts ascend by exponent, and among equal exponents by rank.
  const std::vector<Decimal>& cuts = read.side.cuts;
  const auto index = [&](auto at) { return static_cast<size_t>(at - cuts.begin()); };
  const size_t first = index(std::ranges::lower_bound(cuts, exponent, {}, &Decimal::exponent));
  const size_t end = index(std::ranges::upper_bound(cuts, exponent, {}, &Decimal::exponent));
  const std::span<const uint32_t> ranks(read.rank.data() + first, end - first);
  const size_t n_below =
      static_cast<size_t>(std::ranges::lower_bound(ranks, state[kScaledBelow]) - ranks.begin());
  Cell cell{static_cast<uint32_t>(first + n_below), false};
  for (size_t i = first + n_below; i < end && read.rank[i] < state[kScaledTied]; ++i)
    cell.is_at_cut = cell.is_at_cut || static_cast<int64_t>(cuts[i].digits().size()) <= n_read;
  return cell;
}

bool NumberReader::steps_hold_scaled(View state, int64_t exponent) const {
  if (!has_steps()) return true;
  if ((state[kFlags] & kIsRound) == 0 && state[kPhase] != kWhole) {
    const ScaledFractions fractions = side(state).fractions;
    const int64_t n_digits = state[kDigitsRead];
    const bool is_counted = n_digits <= kMostScaledDigits;
    if (exponent > kSmallExponent && exponent < kLargeExponent) return false;
    if (exponent <= kSmallExponent && !small_needs_rests_) return fractions.small;
    if (!is_counted || !(exponent >= kLargeExponent ? fractions.large : fractions.small))
      return false;
    // The digits as an integer, times 10^(exponent - n_digits). If this power is below the step's
    // weight, trailing zeros of the digits may make up for it; otherwise the number is not a
    // multiple.
    const auto is_below = [&](const StepReader& step) {
      return exponent - n_digits < step.weight();
    };
    if ((state[kFlags] & kEndsInZero) != 0 && std::any_of(steps_.begin(), steps_.end(), is_below))
      return false;
    for (size_t i = 0; i < steps_.size(); ++i) {
      const bool is_wanted = i == 0 && is_first_wanted_;
      const auto least = least_scaled_exponent(state, i);
      if ((least && exponent >= *least) != is_wanted) return false;
    }
    return true;
  }
  for (size_t i = 0; i < steps_.size(); ++i) {
    const bool is_wanted = i == 0 && is_first_wanted_;
    const auto least = steps_[i].least_exponent(std::max(1u, state[kFirstDigit]));
    if ((least && exponent >= *least) != is_wanted) return false;
  }
  return true;
}

// The exponents from which on the answer may change.
void NumberReader::split_by_exponent(View state, std::vector<int64_t>& at) const {
  for (const Decimal& cut : side(state).side.cuts) {
    at.push_back(cut.exponent());
    at.push_back(cut.exponent() + 1);
  }
  if (has_steps()) at.insert(at.end(), {kLargeExponent, kSmallExponent + 1});
  const bool is_round = (state[kFlags] & kIsRound) != 0 || state[kPhase] == kWhole;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const auto least = is_round ? steps_[i].least_exponent(std::max(1u, state[kFirstDigit]))
                                : least_scaled_exponent(state, i);
    if (least) at.push_back(*least);
    if (!is_round) at.push_back(steps_[i].weight() + int64_t{state[kDigitsRead]});
  }
  std::sort(at.begin(), at.end());
}

ExponentSet NumberReader::exponents(View state) const {
  const bool can_end =
      state[kPhase] == kZero || state[kPhase] == kWhole || state[kPhase] == kFraction;
  if (!can_end) return {};
  if ((state[kFlags] & kIsZero) != 0) return {has_zero_, {}};
  if ((state[kFlags] & kIsScalable) == 0) return {};
  const auto contains = [&](int64_t exponent) {
    const Cell cell = scaled_cell_of(state, exponent);
    return side(state).side.inside[2 * cell.below + (cell.is_at_cut ? 1 : 0)] &&
           steps_hold_scaled(state, exponent);
  };
  std::vector<int64_t> at;
  split_by_exponent(state, at);
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
