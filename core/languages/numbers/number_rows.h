// How far a number has been read: the states of the machine before they are joined, as rows of words.
//
// IDEA
//   Of the digits read so far only this counts: how they compare with each cut's first digits, what they leave divided by each
//   step, and, where an exponent may follow, how they compare with the cuts' digits wherever the point is.
//   Before the point nobody knows how many digits there will be, so each cut is compared with on its own. Behind it cuts
//   are in order: first those below the number, then those *tied* with it (they begin with the digits read), then those
//   above.
//
// EXAMPLE   cuts 5 and 12, read "1": below 5 if it ends, above both if two digits follow, tied with 12 if one does.
//
// INVARIANTS
//   I1  rows that lead to the same rows are often, not always, one; StatePool and minimize() see to the rest
//   I2  without steps of several rests, no row is reached again from another that it leads to
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

// Before which exponents a fraction that is not all zeros may stand, where there are steps (S2 in
// numbers.h).
struct ScaledFractions {
  bool large = false;  // 16 and more
  bool small = false;  // -5 and less
};

// One side of zero, with what readers of digits ask of it.
struct ReadSide {
  Side side;
  std::vector<uint32_t> rank;  // index: cut. Its place in the order of digits, the point left out
  std::vector<uint32_t> by_digits;  // index: rank
  int64_t n_most_whole = 0;         // digits before the point of the longest cut
  int64_t n_most_fraction = 0;      // behind it
  int64_t n_most_digits = 0;        // of any cut, without zeros at the ends
  ScaledFractions fractions;
  bool is_free = false;  // nothing but the sign is asked for: any exponent behind anything
};

class NumberRows {
 public:
  using Row = std::vector<uint32_t>;

  // Nothing: `too_large` says what would need more than n_most states.
  static std::optional<NumberRows> of(const NumberSet& set, size_t n_most, std::string& too_large);

  size_t n_words() const { return n_words_; }
  bool has_cycles() const { return has_cycles_; }

  void start(Row& row) const;
  bool is_accepting(std::span<const uint32_t> row) const;
  // Each writes `to`; false: nothing is accepted behind it.
  bool read_minus(std::span<const uint32_t> row, Row& to) const;
  bool read_digit(std::span<const uint32_t> row, uint32_t digit, Row& to) const;
  bool read_point(std::span<const uint32_t> row, Row& to) const;
  // The exponents that may follow; none: no e may.
  ExponentSet exponents(std::span<const uint32_t> row) const;
  // What makes it so many rows, in words.
  std::string what_is_large(size_t n_most) const;

 private:
  enum Phase : uint32_t { kStart, kSign, kZero, kWhole, kPoint, kFraction };
  enum Word : size_t {
    kPhase,
    kPlace,
    kFlags,
    kBelow,
    kTied,
    kScaledBelow,
    kScaledTied,
    kFirstDigit,
    kRests
  };
  enum Flag : uint32_t {
    kIsNegative = 1,   // and the sides of zero differ
    kIsZero = 2,       // all digits so far are 0
    kIsRound = 4,      // all digits behind the point are 0: asked for where there are steps
    kIsScalable = 8,   // an exponent may follow, here or later
    kIsOut = 16,       // without an exponent it is not in the set any more
    kEndsInZero = 32,  // the fraction: asked for where zeros_matter_
  };
  enum Comparison : uint32_t { kUnder, kEqual, kOver };  // the number, with a cut

  using View = std::span<const uint32_t>;
  struct Place {
    uint32_t below;  // cuts below the number
    bool is_at_cut;
  };

  const ReadSide& side(View row) const {
    return (row[kFlags] & kIsNegative) != 0 ? negative_ : positive_;
  }
  bool has_steps() const { return !steps_.empty(); }
  // A row's words behind kRests: what is left by each step; the comparison with each cut; what all
  // digits so far, read as one integer, leave by each of scaled_steps_.
  size_t rests_end() const { return kRests + steps_.size(); }
  size_t scaled_rests() const { return n_words_ - steps_.size(); }
  bool counts_places(const ReadSide& read) const {
    return read.fractions.large || (read.fractions.small && small_needs_rests_);
  }
  void begin_whole(uint32_t digit, Row& to) const;
  bool continue_whole(uint32_t digit, Row& to) const;
  bool continue_fraction(uint32_t digit, Row& to) const;
  void compare_fraction(uint32_t digit, Row& to) const;
  void compare_scaled(int64_t place, uint32_t digit, Row& to) const;
  void settle_scaling(uint32_t digit, Row& to) const;
  bool settle_fraction(Row& to) const;
  Place place_of(View row) const;
  Place place_of_scaled(View row, int64_t exponent) const;
  bool steps_hold(View row) const;
  bool steps_hold_scaled(View row, int64_t exponent) const;
  void scale(Row& to, uint32_t digit) const;
  std::optional<int64_t> least_scaled_exponent(View row, size_t step) const;
  void split_by_exponent(View row, std::vector<int64_t>& at) const;

  ReadSide positive_;
  ReadSide negative_;
  bool has_two_sides_ = false;
  bool has_zero_ = false;
  std::vector<StepReader> steps_;
  // Digits times 10^n are a multiple of a step if the digits times 10^(n - weight) are one of the
  // modulus, and n is so large that weight is reached. Of 0.125 the modulus is 1 before large
  // exponents.
  struct ScaledStep {
    uint64_t modulus;
    int64_t weight;
  };
  std::vector<ScaledStep> scaled_steps_;  // as steps_
  std::vector<std::string> step_words_;
  bool is_first_wanted_ = false;  // the first of steps_ is to divide the number, the others are not
  bool small_needs_rests_ =
      false;  // a step is so small that what is written with a small exponent may be a multiple
  bool zeros_matter_ =
      false;  // at a fraction's end: a step's own power may be above a fraction's last place
  bool has_cycles_ = false;
  bool counts_first_digit_ = false;
  size_t n_words_ = 0;
};

}  // namespace xg2lab
