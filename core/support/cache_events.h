// A bounded log of what the mask caches did and how long it took; off until a user switches it on.
//
// Tests: tests/core/test_cache_events.py
//
// IDEA
//   A compiler owns one log and passes it to the grammars that it compiles. While the log is off, a
//   report costs the load of one flag.
//
// THREADS   any thread. is_on_ is a relaxed flag; the list is guarded by mutex_.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/ids.h"

namespace xg2lab {

using GrammarId = Id<struct GrammarTag>;  // a compiled grammar of this process; 0 is none

// How a mask was obtained, the cheapest first.
//   kContextHit  the mask of the configuration was known
//   kPerfectHit all entries were known, in the store or in the pool; the uncertain tokens were
//   checked kPartialHit the rule part of some entry was known from an equal rule, and its callers
//   were walked;
//                or white space was walked beside known entries (counted_run.h)
//   kMiss        some entry was built, or the whole vocabulary was walked
enum class CacheResult : uint8_t { kContextHit, kPerfectHit, kPartialHit, kMiss };
// "context_hit", "perfect_hit", "partial_hit", "miss"
const char* cache_result_name(CacheResult result);

enum class EventKind : uint8_t { kPass, kCompile, kEntry, kFill, kEviction };
const char* event_kind_name(EventKind kind);  // "pass", "compile", "entry", "fill", "eviction"

// How many of something a pass found and left; those that it has nothing to do with are empty.
struct PassCounts {
  using BeforeAfter = std::optional<std::pair<size_t, size_t>>;
  BeforeAfter rules;
  BeforeAfter exprs;
  BeforeAfter states;              // 0 before: made of expressions
  std::optional<size_t> machines;  // of a part of lowering: how many it was done for
};

struct CacheEvent {
  EventKind kind = EventKind::kFill;
  CacheResult cache = CacheResult::kMiss;  // of an entry or a fill
  std::string name;                        // of a pass
  const char* way = "";                    // of a fill: how the mask was made (mask/plan/plan.h)
  std::string inside;          // of a part of a pass: that pass's name; it was told just before
  PassCounts counts;           // of a pass
  GrammarId grammar;           // for whom
  GrammarId donor;             // who had built what was used, or is let go
  uint32_t state = 0;          // of an entry
  bool in_background = false;  // of an entry: made ahead of the texts
  uint64_t n_bytes = 0;        // of an eviction
  uint64_t ns = 0;             // how long it took
  uint64_t at_ns = 0;          // when it was over, since the log was turned on
};

class EventLog {
 public:
  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
  // Turns it on and empties it. Of more than `capacity` events the oldest go.
  void start(size_t capacity);
  void stop() { is_on_.store(false, std::memory_order_relaxed); }
  void add(CacheEvent event);
  std::vector<CacheEvent> events() const;
  uint64_t n_dropped() const;

 private:
  std::atomic<bool> is_on_{false};
  mutable std::mutex mutex_;
  std::deque<CacheEvent> events_;                // guarded by mutex_, as all below
  std::chrono::steady_clock::time_point begin_;  // when it was turned on
  size_t capacity_ = 0;
  uint64_t n_dropped_ = 0;
};

// Nanoseconds since `begin`.
uint64_t ns_since(std::chrono::steady_clock::time_point begin);

}  // namespace xg2lab
