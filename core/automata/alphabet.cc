// One sweep over the sorted boundaries: the sets that contain a piece between two boundaries
// determine its letter.
#include "automata/alphabet.h"

#include <algorithm>
#include <map>

#include "support/utf8.h"

namespace xg2lab {
namespace {

struct Cut {
  uint32_t at;
  uint32_t set;
};

// The next scalar value, skipping the surrogates.
uint32_t next_of(uint32_t scalar_value) {
  return scalar_value + 1 == kFirstSurrogate ? kLastSurrogate + 1 : scalar_value + 1;
}

}  // namespace

Alphabet::Alphabet(std::span<const CodePointSet> sets) {
  std::vector<Cut> cuts;
  for (size_t i = 0; i < sets.size(); ++i) {
    for (const CodePointRange& range : sets[i]) {
      cuts.push_back({range.lo, static_cast<uint32_t>(i)});
      cuts.push_back({range.hi + 1, static_cast<uint32_t>(i)});
    }
  }
  std::sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.at < b.at; });
  // inside[i] tells whether the sweep is within set i. Each distinct value of `inside` is one
  // letter.
  std::vector<bool> inside(sets.size());
  std::map<std::vector<bool>, Letter> known;
  const auto add = [&](uint32_t lo, uint32_t end) {
    for (const CodePointRange& piece : normal({{lo, end - 1}})) {
      const Letter letter = known.emplace(inside, static_cast<Letter>(known.size())).first->second;
      intervals_.push_back({piece.lo, piece.hi, letter});
    }
  };
  uint32_t at = 0;
  for (const Cut& cut : cuts) {
    if (cut.at > at) add(at, cut.at);
    at = cut.at;
    inside[cut.set] = !inside[cut.set];
  }
  if (at <= kMaxCodePoint) add(at, kMaxCodePoint + 1);
  n_letters_ = known.size();
  join_neighbours();
}

Alphabet Alphabet::of_intervals(std::vector<Interval> intervals, size_t n_letters) {
  Alphabet result;
  result.intervals_ = std::move(intervals);
  result.n_letters_ = n_letters;
  result.join_neighbours();
  return result;
}

// Joins neighbouring intervals of the same letter. No interval spans the surrogates.
void Alphabet::join_neighbours() {
  std::vector<Interval> joined;
  for (const Interval& interval : intervals_) {
    if (!joined.empty() && joined.back().letter == interval.letter &&
        joined.back().hi + 1 == interval.lo) {
      joined.back().hi = interval.hi;
    } else {
      joined.push_back(interval);
    }
  }
  intervals_ = std::move(joined);
}

Letter Alphabet::letter_of(uint32_t scalar_value) const {
  const auto after =
      std::upper_bound(intervals_.begin(), intervals_.end(), scalar_value,
                       [](uint32_t point, const Interval& i) { return point < i.lo; });
  return std::prev(after)->letter;
}

std::vector<bool> Alphabet::letters_in(std::span<const CodePointRange> set) const {
  std::vector<bool> letters(n_letters_);
  size_t i = 0;
  for (const CodePointRange& range : set) {
    while (i < intervals_.size() && intervals_[i].hi < range.lo) ++i;
    for (; i < intervals_.size() && intervals_[i].lo <= range.hi; ++i) {
      letters[intervals_[i].letter] = true;
      if (intervals_[i].hi > range.hi) break;
    }
  }
  return letters;
}

// Walks both lists of intervals in parallel; each pair of letters that occurs is a new letter.
Alphabet::Common Alphabet::common(const Alphabet& a, const Alphabet& b) {
  Common common;
  common.alphabet.intervals_.clear();
  std::map<std::pair<Letter, Letter>, Letter> known;
  size_t i = 0;
  size_t j = 0;
  for (uint32_t at = 0; at <= kMaxCodePoint;) {
    const Interval& left = a.intervals_[i];
    const Interval& right = b.intervals_[j];
    const uint32_t hi = std::min(left.hi, right.hi);
    const auto [letter, is_new] =
        known.emplace(std::pair(left.letter, right.letter), static_cast<Letter>(known.size()));
    if (is_new) common.of_a.push_back(left.letter);
    if (is_new) common.of_b.push_back(right.letter);
    common.alphabet.intervals_.push_back({at, hi, letter->second});
    i += left.hi == hi ? 1 : 0;
    j += right.hi == hi ? 1 : 0;
    at = next_of(hi);
  }
  common.alphabet.n_letters_ = known.size();
  common.alphabet.join_neighbours();
  return common;
}

Alphabet Alphabet::with_merged(std::span<const Letter> merged, size_t n_letters) const {
  Alphabet result = *this;
  for (Interval& interval : result.intervals_) interval.letter = merged[interval.letter];
  result.n_letters_ = n_letters;
  result.join_neighbours();
  return result;
}

}  // namespace xg2lab
