// The state of reading a number, a vector of words, before equivalent states are merged.
//
// IDEA
//   Of the digits read so far only these facts matter: how they compare with the first digits of
//   each cut (number_set.h), their remainder modulo each step, and, if an exponent may follow, how
//   they compare with the cuts' digits regardless of the decimal point.
//
//   Before the point the number of digits is unknown, so the number is compared with each cut
//   separately. After the point, cuts are in order: first those below the number, then those *tied*
//   with it (they begin with the digits read), then those above.
//
// EXAMPLE   cuts 5 and 12, read "1": below 5 if the number ends, above both if two digits follow,
//           tied with 12 if one digit follows.
//
// INVARIANTS
//   I1  equivalent states are often but not always equal; StatePool and minimize() merge the others
//   I2  without steps that have several remainders, states have no cycles other than self-loops
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "languages/numbers/exponent_states.h"
#include "languages/numbers/number_set.h"
#include "languages/numbers/number_steps.h"

namespace xg2lab {

// The exponents that may follow a fraction which is not all zeros, if there are steps (S2 in
// numbers.h).
struct ScaledFractions {
  bool large = false;  // 16 and more
  bool small = false;  // -5 and less
};

// The numbers of one sign, with the facts that reading digits needs.
struct ReadSide {
  Side side;
  // index: cut; its position when cuts are ordered by digits, ignoring the point
  std::vector<uint32_t> rank;
  std::vector<uint32_t> by_digits;  // index: rank
  int64_t n_most_whole = 0;         // the most digits before a cut's point
  int64_t n_most_fraction = 0;      // the most digits after it
  int64_t n_most_digits = 0;        // the most digits of a cut, without zeros at either end
  ScaledFractions fractions;
  bool is_free = false;  // only the sign is constrained: any exponent may follow any fraction
};

class NumberReader {
 public:
  using State = std::vector<uint32_t>;

  // Nothing if more than n_most states are needed; `too_large` then names the reason.
  static std::optional<NumberReader> of(const NumberSet& set, size_t n_most,
                                        std::string& too_large);

  size_t n_words() const { return n_words_; }
  bool has_cycles() const { return has_cycles_; }

  void start(State& state) const;
  bool is_accepting(std::span<const uint32_t> state) const;
  // Both write `to`; false: no accepted number continues this way.
  bool read_minus(std::span<const uint32_t> state, State& to) const;
  bool read_digit(std::span<const uint32_t> state, uint32_t digit, State& to) const;
  bool read_point(std::span<const uint32_t> state, State& to) const;
  // The exponents that may follow; empty: no e may follow.
  ExponentSet exponents(std::span<const uint32_t> state) const;
  // The reason for the large number of states, for a message.
  std::string what_is_large(size_t n_most) const;

 private:
  enum Phase : uint32_t { kStart, kSign, kZero, kWhole, kPoint, kFraction };
  enum Word : size_t {
    kPhase,
    kDigitsRead,  // before the point, or after it; counted as far as the count matters
    kFlags,
    kBelow,
    kTied,
    kScaledBelow,
    kScaledTied,
    kFirstDigit,
    kRests
  };
  enum Flag : uint32_t {
    kIsNegative = 1,   // the number is negative, and the two signs differ
    kIsZero = 2,       // all digits so far are 0
    kIsRound = 4,      // all digits after the point are 0: tracked if there are steps
    kIsScalable = 8,   // an exponent may follow, here or later
    kIsOut = 16,       // without an exponent the number is not in the set any more
    kEndsInZero = 32,  // the fraction ends in 0: tracked if zeros_matter_
  };
  enum Comparison : uint32_t { kUnder, kEqual, kOver };  // of the number with a cut

  using View = std::span<const uint32_t>;
  // The cell of the number between the cuts, or at one (number_set.h).
  struct Cell {
    uint32_t below;  // number of cuts below the number
    bool is_at_cut;
  };

  const ReadSide& side(View state) const {
    return (state[kFlags] & kIsNegative) != 0 ? negative_ : positive_;
  }
  bool has_steps() const { return !steps_.empty(); }
  // The words of a state after kRests: the remainder modulo each step; the comparison with each
  // cut; and the remainder of all digits so far, as one integer, modulo each of scaled_steps_.
  size_t rests_end() const { return kRests + steps_.size(); }
  size_t scaled_rests() const { return n_words_ - steps_.size(); }
  bool counts_digits(const ReadSide& read) const {
    return read.fractions.large || (read.fractions.small && small_needs_rests_);
  }
  void begin_whole(uint32_t digit, State& to) const;
  bool continue_whole(uint32_t digit, State& to) const;
  bool continue_fraction(uint32_t digit, State& to) const;
  void compare_fraction(uint32_t digit, State& to) const;
  void compare_scaled(int64_t index, uint32_t digit, State& to) const;
  void settle_scaling(uint32_t digit, State& to) const;
  bool settle_fraction(State& to) const;
  Cell cell_of(View state) const;
  Cell scaled_cell_of(View state, int64_t exponent) const;
  bool steps_hold(View state) const;
  bool steps_hold_scaled(View state, int64_t exponent) const;
  void scale(State& to, uint32_t digit) const;
  std::optional<int64_t> least_scaled_exponent(View state, size_t step) const;
  void split_by_exponent(View state, std::vector<int64_t>& at) const;

  ReadSide positive_;
  ReadSide negative_;
  bool has_two_sides_ = false;
  bool has_zero_ = false;
  std::vector<StepReader> steps_;
  // digits * 10^n is a multiple of a step if digits * 10^(n - weight) is a multiple of the modulus
  // and n >= weight. For 0.125 the modulus is 1 if exponents are large.
  struct ScaledStep {
    uint64_t modulus;
    int64_t weight;
  };
  std::vector<ScaledStep> scaled_steps_;  // in the order of steps_
  std::vector<std::string> step_words_;
  // the number must be a multiple of the first of steps_ and of none of the others
  bool is_first_wanted_ = false;
  bool small_needs_rests_ =
      false;  // some step is so small that a number with a small exponent may be a multiple of it
  bool zeros_matter_ =
      false;  // at a fraction's end: a step's weight may exceed that of the fraction's last digit
  bool has_cycles_ = false;
  bool counts_first_digit_ = false;
  size_t n_words_ = 0;
};

}  // namespace xg2lab
