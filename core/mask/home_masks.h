// The masks of homes: of a state that text leads to a home, only the tokens that the home doesn't
// decide are walked.
//
// Tests: tests/core/test_free_text.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   In an object with free keys, a token after `"na` is a piece of some key, as it is after `"`
//   and after `"x`. From each of these states every character leads to one column, the home,
//   unless a declared name has that character next. So the vocabulary is walked once from the
//   home. A walk from one of these states runs beside it: if both walks reach a node in the same
//   state, the node's subtree is skipped, because the verdicts agree. Only the beginnings that
//   tokens share with declared names remain.
//
//     {"name": ..., "nation": ...} and any others   after `"na`: m, t and their siblings; every other character leads home
//
// REPRESENTATION
//   The home's mask, and the lists that a walk makes. A state's mask is the home's with a few ids taken out and added
//   (AdaptiveMask::like), so a state costs no row of the bitmask.
//
// THREADS   with the scratch table of a walk: one thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "mask/adaptive_mask.h"
#include "mask/beyond.h"
#include "mask/home.h"
#include "mask/place_table.h"
#include "parse/column_table.h"

namespace xg2lab {

// Those that are not within one of these ranges; all ascending.
template <class T, class Value>
std::vector<T> outside_of(const std::vector<RankRange>& ranges, const std::vector<T>& values,
                          Value value) {
  std::vector<T> left;
  auto range = ranges.begin();
  for (const T& each : values) {
    while (range != ranges.end() && range->second <= value(each)) ++range;
    if (range == ranges.end() || value(each) < range->first) left.push_back(each);
  }
  return left;
}

struct HomeMask {
  WalkPlace home;
  ColumnId entry;  // what is beyond the goal
  std::shared_ptr<const AdaptiveMask> accepted;
  std::vector<uint32_t> own_words;      // as a bitmask, unless it is one
  std::vector<TokenRank> alive_beyond;  // ascending
  std::vector<uint32_t> left_at;        // ascending
  BeyondSteps steps;

  std::span<const uint32_t> words() const {
    return own_words.empty() ? accepted->words() : own_words;
  }
};

// Of one table.
class HomeMasks {
 public:
  const HomeMask* find(const WalkPlace& home, ColumnId entry) const {
    for (const HomeMask& mask : kept_) {
      if (mask.home == home && mask.entry == entry) return &mask;
    }
    return nullptr;
  }
  const HomeMask& add(HomeMask mask) {
    constexpr size_t kMost = 16;  // objects that a text has open at a time
    if (kept_.size() == kMost) kept_.pop_front();
    return kept_.emplace_back(std::move(mask));
  }

 private:
  std::deque<HomeMask> kept_;  // the newest last
};

// What walks of one program work with, each with its own.
struct WalkScratch {
  ColumnTable table;
  Homes homes;
  HomeMasks home_masks;
  PlaceTable places;  // of one walk at a time

  WalkScratch(std::shared_ptr<const Program> program, size_t max_bytes, const ParseOptions& options)
      : table(std::move(program), max_bytes, options), places(table.program()) {}
};

}  // namespace xg2lab
