// What is known of the ends of tokens, where rules have max_tokens: see tick.cc, which fills it in.
//
// THREADS   under the table's mutex.
#pragma once

#include <cstdint>
#include <vector>

#include "parse/counts.h"
#include "support/dense_map.h"
#include "support/ids.h"

namespace xg2lab {

// A column, or the callers of a rule, one token older.
struct Ticked {
  ColumnId column;
  uint32_t n_over = 0;  // matches around each of its items that may touch no more tokens
};

// One who waits for a member. `column`: those who do so in as many matches that are over, one token
// older.
struct TickedAsker {
  Counts matched;
  uint32_t n_over;
  ColumnId column;
};

struct KnownTicks {
  DenseMap<ColumnId, Ticked> columns;
  // By Ticker::Call::key.
  DenseMap<uint64_t, Ticked> calls;
  DenseMap<uint64_t, std::vector<TickedAsker>> askers;  // of member rules
  size_t n_askers = 0;                                  // that there is room for in `askers`

  size_t memory_size_bytes() const {
    return columns.memory_size_bytes() + calls.memory_size_bytes() + askers.memory_size_bytes() +
           n_askers * sizeof(TickedAsker);
  }
};

}  // namespace xg2lab
