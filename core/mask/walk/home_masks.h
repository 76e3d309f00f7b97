// The masks of homes: the results of walks from homes, kept for walks of other states from which
// text leads there (beside_home.h).
//
// Tests: tests/core/test_free_text.py, tests/differential/test_engine_vs_twin.py
//
// THREADS   those of the walk's scratch columns: one thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "mask/sets/adaptive_mask.h"
#include "mask/text/home.h"
#include "mask/walk/beyond_steps.h"
#include "mask/walk/transition_table.h"
#include "parse/column_table.h"
#include "support/hash.h"

namespace xg2lab {

// The state of an entry's walk at a trie node: the columns of its two parsers (inside_beyond.h).
struct WalkState {
  ColumnId inside = kDead;
  ColumnId beyond = kDead;
  bool has_ended = false;  // the goal was completed on the way

  friend bool operator==(const WalkState&, const WalkState&) = default;
};
inline uint64_t hash_of(const WalkState& state) {
  return hash_combine(hash_combine(state.inside.value, state.beyond.value), state.has_ended);
}

struct HomeMask {
  WalkState home;
  ColumnId entry;  // the column after the goal
  std::shared_ptr<const AdaptiveMask> accepted;
  std::vector<uint32_t> own_words;      // `accepted` as a bitmask, unless it is one
  std::vector<TokenRank> alive_beyond;  // ascending
  std::vector<uint32_t> return_nodes;   // ascending
  BeyondSteps steps;

  std::span<const uint32_t> words() const {
    return own_words.empty() ? accepted->words() : own_words;
  }
};

// The masks of the homes of one column table.
class HomeMasks {
 public:
  const HomeMask* find(const WalkState& home, ColumnId entry) const {
    for (const HomeMask& mask : kept_) {
      if (mask.home == home && mask.entry == entry) return &mask;
    }
    return nullptr;
  }
  const HomeMask& add(HomeMask mask) {
    constexpr size_t kMost = 16;  // more than the objects that a text has open at a time
    if (kept_.size() == kMost) kept_.pop_front();
    return kept_.emplace_back(std::move(mask));
  }

 private:
  std::deque<HomeMask> kept_;  // the newest last
};

// The working memory of the walks of one program; each running walk has its own.
struct WalkScratch {
  ColumnTable table;
  Homes homes;
  HomeMasks home_masks;
  TransitionTable<WalkState> transitions;  // of one walk at a time

  WalkScratch(std::shared_ptr<const Program> program, size_t max_bytes, const ParseOptions& options,
              const MaskCosts& costs)
      : table(std::move(program), max_bytes, options),
        homes(costs),
        transitions(table.program(), WalkState()) {}
};

}  // namespace xg2lab
