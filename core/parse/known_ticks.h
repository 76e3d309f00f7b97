// What is known of the ends of tokens, where rules have max_tokens: see tick.cc, which fills it in.
//
// THREADS   under the table's mutex.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "parse/counts.h"
#include "support/ids.h"

namespace xg2lab {

// A column, or the callers of a rule, one token older.
struct Ticked {
  ColumnId column;
  uint32_t n_over = 0;  // matches around each of its items that may touch no more tokens
};

// One who waits for a member. `column`: those who do so in as many matches that are over, one token older.
struct TickedAsker {
  Counts matched;
  uint32_t n_over;
  ColumnId column;
};

struct KnownTicks {
  std::unordered_map<ColumnId, Ticked> columns;
  // By Ticker::Call::key.
  std::unordered_map<uint64_t, Ticked> calls;
  std::unordered_map<uint64_t, std::vector<TickedAsker>> askers;  // of member rules
};

}  // namespace xg2lab
