// The mask store of one compiled grammar: entries by place, made at the first visit and kept.
//
// Tests: tests/core/test_masks.py
//
// IDEA
//   Compiling builds no mask. The first parse that needs a state's split of the vocabulary makes it (just in
//   time, XGrammar 2 section 3.2); everyone after finds it with one acquire load. Entries of counted
//   rules (EntryPlace) are found in a map instead: there are a few for each state, and their final masks are kept.
//
// THREADS   entry(): any thread. entries_ is published by release stores; the builder's table and the
//           list of owned entries are guarded by mutex_; hits_ are relaxed counters.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "mask/adaptive_mask.h"
#include "mask/token_sets.h"
#include "parse/column_table.h"

namespace xg2lab {

class MaskStore {
 public:
  MaskStore(std::shared_ptr<const Program> program, std::shared_ptr<const TokenSets> tokens,
            size_t max_scratch_bytes, const ParseOptions& options);

  // The place's entry; made now if need be, which `was_built` tells.
  const MaskEntry& entry(const EntryPlace& place, bool* was_built = nullptr);
  // The state's own entry if it has been made.
  const MaskEntry* find(StateId state) const {
    return entries_[state.index()].load(std::memory_order_acquire);
  }

  uint64_t n_hits(StateId state) const {
    return hits_[state.index()].load(std::memory_order_relaxed);
  }
  void count_hit(StateId state) { hits_[state.index()].fetch_add(1, std::memory_order_relaxed); }

  const TokenSets& tokens() const { return *tokens_; }
  const std::shared_ptr<const TokenSets>& shared_tokens() const { return tokens_; }
  size_t memory_size_bytes() const { return n_bytes_.load(std::memory_order_relaxed); }

 private:
  const std::shared_ptr<const Program> program_;
  const std::shared_ptr<const TokenSets> tokens_;
  const size_t max_scratch_bytes_;
  const ParseOptions options_;
  std::vector<std::atomic<const MaskEntry*>> entries_;
  std::vector<std::atomic<uint64_t>> hits_;
  std::atomic<size_t> n_bytes_{0};

  std::mutex mutex_;
  std::deque<MaskEntry> owned_;                             // guarded by mutex_
  std::map<EntryPlace, const MaskEntry*> counted_entries_;  // guarded by mutex_
  std::unique_ptr<ColumnTable> scratch_;  // guarded by mutex_; the walks of classify
};

}  // namespace xg2lab
