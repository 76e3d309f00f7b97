// The known results of ColumnTable::tick(), for grammars with max_tokens. tick.cc fills them in.
//
// THREADS   under the table's mutex.
#pragma once

#include <cstdint>
#include <vector>

#include "parse/counts.h"
#include "support/dense_map.h"
#include "support/ids.h"

namespace xg2lab {

// The result of a tick of a column.
struct Ticked {
  ColumnId column;
  uint32_t n_over = 0;  // expired matches around each of its items
};

// The result of a tick of the items that wait for a call.
struct TickedCall {
  ContextId context;
  uint32_t n_over = 0;
};

// An item that waits for a member rule, inside n_over expired matches. `context` is the result of
// the tick: the waiting items inside equally many expired matches.
struct TickedAsker {
  Counts matched;  // the sets of members matched so far
  uint32_t n_over;
  ContextId context;
};

struct KnownTicks {
  DenseMap<ColumnId, Ticked> columns;
  // By Ticker::Call::key.
  DenseMap<uint64_t, TickedCall> calls;
  DenseMap<uint64_t, std::vector<TickedAsker>> askers;  // of member rules
  size_t n_askers = 0;                                  // total capacity of the lists in `askers`

  size_t memory_size_bytes() const {
    return columns.memory_size_bytes() + calls.memory_size_bytes() + askers.memory_size_bytes() +
           n_askers * sizeof(TickedAsker);
  }
};

}  // namespace xg2lab
