// The masks of homes: what a walk from a home has found, kept for walks of states from which text
// leads there (beside_home.h).
//
// Tests: tests/core/test_free_text.py, tests/differential/test_engine_vs_twin.py
//
// THREADS   with the scratch table of a walk: one thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "mask/sets/adaptive_mask.h"
#include "mask/text/home.h"
#include "mask/walk/beyond_steps.h"
#include "mask/walk/place_table.h"
#include "parse/column_table.h"
#include "support/hash.h"

namespace xg2lab {

// How the two parsers of an entry's walk stand at a node of the trie (inside_beyond.h).
struct WalkPlace {
  ColumnId inside = kDead;
  ColumnId beyond = kDead;
  bool has_ended = false;  // whether the goal was completed on the way

  friend bool operator==(const WalkPlace&, const WalkPlace&) = default;
};
inline uint64_t hash_of(const WalkPlace& place) {
  return hash_combine(hash_combine(place.inside.value, place.beyond.value), place.has_ended);
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
  PlaceTable<WalkPlace> places;  // of one walk at a time

  WalkScratch(std::shared_ptr<const Program> program, size_t max_bytes, const ParseOptions& options,
              const MaskCosts& costs)
      : table(std::move(program), max_bytes, options),
        homes(costs),
        places(table.program(), WalkPlace()) {}
};

}  // namespace xg2lab
