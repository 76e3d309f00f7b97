// Names, and the bounded list.
#include "support/cache_events.h"

namespace xg2lab {

const char* cache_result_name(CacheResult result) {
  switch (result) {
    case CacheResult::kContextHit: return "context_hit";
    case CacheResult::kPerfectHit: return "perfect_hit";
    case CacheResult::kPartialHit: return "partial_hit";
    case CacheResult::kMiss: return "miss";
  }
  return "miss";
}

const char* event_kind_name(EventKind kind) {
  switch (kind) {
    case EventKind::kPass: return "pass";
    case EventKind::kCompile: return "compile";
    case EventKind::kEntry: return "entry";
    case EventKind::kFill: return "fill";
    case EventKind::kEviction: return "eviction";
  }
  return "fill";
}

uint64_t ns_since(std::chrono::steady_clock::time_point begin) {
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::steady_clock::now() - begin);
  return static_cast<uint64_t>(ns.count());
}

void EventLog::start(size_t capacity) {
  const std::lock_guard lock(mutex_);
  events_.clear();
  n_dropped_ = 0;
  capacity_ = capacity;
  begin_ = std::chrono::steady_clock::now();
  is_on_.store(true, std::memory_order_relaxed);
}

void EventLog::add(CacheEvent event) {
  const std::lock_guard lock(mutex_);
  event.at_ns = ns_since(begin_);
  try {
    events_.push_back(std::move(event));
  } catch (...) {  // what is told of is done: it doesn't fail because there is no room to tell
    ++n_dropped_;
    return;
  }
  if (events_.size() <= capacity_) return;
  events_.pop_front();
  ++n_dropped_;
}

std::vector<CacheEvent> EventLog::events() const {
  const std::lock_guard lock(mutex_);
  return {events_.begin(), events_.end()};
}

uint64_t EventLog::n_dropped() const {
  const std::lock_guard lock(mutex_);
  return n_dropped_;
}

}  // namespace xg2lab
