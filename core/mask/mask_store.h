// The mask store of one compiled grammar: entries by place, made at the first visit and kept.
//
// Tests: tests/core/test_masks.py, tests/core/test_pool.py
//
// IDEA
//   Compiling builds no mask. The first parse that needs a state's split of the vocabulary makes it (just in
//   time, XGrammar 2 section 3.2), or takes it from the tokenizer's pool, where another grammar may have left it;
//   everyone after finds it with one acquire load. Entries of counted rules (EntryPlace) are found in a map instead, and
//   not shared: there are a few for each state, and their final masks are kept.
//
// THREADS   entry(): any thread. entries_ is published by release stores, origins_ with it; the builder's table, the
//           program's structure and the list of owned entries are guarded by mutex_; hits_ are relaxed counters.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "mask/adaptive_mask.h"
#include "mask/cache_events.h"
#include "mask/mask_pool.h"
#include "mask/token_sets.h"
#include "parse/column_table.h"

namespace xg2lab {

// What a store shares with others. All of it may be null.
struct Sharing {
  std::shared_ptr<MaskPool> pool;
  std::shared_ptr<EventLog> events;
};

// Where an entry came from.
struct EntryOrigin {
  CacheResult cache = CacheResult::kMiss;  // a miss: it was built here
  GrammarId donor;                         // whose walk it rests on; our own after a miss
};

class MaskStore {
 public:
  MaskStore(std::shared_ptr<const Program> program, std::shared_ptr<const TokenSets> tokens,
            size_t max_scratch_bytes, const ParseOptions& options, Sharing sharing,
            GrammarId grammar);

  // The place's entry; made now if need be: then `how` says how.
  const MaskEntry& entry(const EntryPlace& place, std::optional<CacheResult>* how = nullptr);
  // The state's own entry if it has been made.
  const MaskEntry* find(StateId state) const {
    return entries_[state.index()].load(std::memory_order_acquire);
  }
  // An entry of the state's own that was made elsewhere; nothing happens if there is one.
  void put(StateId state, MaskEntry entry);
  // Of an entry that has been made.
  EntryOrigin origin(const EntryPlace& place) const {
    return place.counts.empty() ? origins_[place.state.index()] : own();
  }

  uint64_t n_hits(StateId state) const {
    return hits_[state.index()].load(std::memory_order_relaxed);
  }
  void count_hit(StateId state) { hits_[state.index()].fetch_add(1, std::memory_order_relaxed); }

  const TokenSets& tokens() const { return *tokens_; }
  const std::shared_ptr<const TokenSets>& shared_tokens() const { return tokens_; }
  const std::shared_ptr<MaskPool>& pool() const { return sharing_.pool; }
  // May be null.
  EventLog* events() const { return sharing_.events.get(); }
  GrammarId grammar() const { return grammar_; }
  size_t memory_size_bytes() const { return n_bytes_.load(std::memory_order_relaxed); }

 private:
  EntryOrigin own() const { return {CacheResult::kMiss, grammar_}; }
  // The entry that is there already; null if there is none. Under mutex_ if the place is counted.
  const MaskEntry* known(const EntryPlace& place) const;
  std::shared_ptr<const MaskEntry> share(StateId state, EntryOrigin* origin);

  const std::shared_ptr<const Program> program_;
  const std::shared_ptr<const TokenSets> tokens_;
  const size_t max_scratch_bytes_;
  const ParseOptions options_;
  const Sharing sharing_;
  const GrammarId grammar_;
  std::vector<std::atomic<const MaskEntry*>> entries_;
  std::vector<EntryOrigin> origins_;  // each written once, before its entry is published
  std::vector<std::atomic<uint64_t>> hits_;
  std::atomic<size_t> n_bytes_{0};

  std::mutex mutex_;
  std::vector<std::shared_ptr<const MaskEntry>> owned_;     // guarded by mutex_
  std::map<EntryPlace, const MaskEntry*> counted_entries_;  // guarded by mutex_
  std::unique_ptr<ColumnTable> scratch_;               // guarded by mutex_; the walks of classify
  std::unique_ptr<const ProgramStructure> structure_;  // guarded by mutex_; if there is a pool
};

}  // namespace xg2lab
