// The mask entries of a template's known rules, which all instances of the template share.
//
// Tests: tests/core/test_compiled_template.py
//
// IDEA
//   The known rules of a template have the same states, under the same numbers, in every instance
//   (linking/template_program.h). So their entries are found by number, without naming a rule as
//   the pool does (mask_pool.h). What the state's own rule decides is kept (InsidePart). If the
//   walk never left the rule, the entry is complete and serves all instances as it is; otherwise
//   an instance walks only the tokens that leave the rule, because what follows is its own.
//
// THREADS   any. A state's part is published by a release store; of two threads that make one, the
//           first keeps its own.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "mask/walk/classify.h"
#include "support/block_array.h"
#include "support/cache_events.h"

namespace xg2lab {

struct KnownEntry {
  std::shared_ptr<const InsidePart> inside;  // null: a token edge
  std::shared_ptr<const MaskEntry> entry;    // null: what follows the rule matters
};

class KnownEntries {
 public:
  // `of`: the template's number in accounts and events.
  KnownEntries(size_t n_states, GrammarId of) : n_states_(n_states), of_(of), slots_(n_states) {}

  GrammarId of() const { return of_; }
  size_t n_states() const { return n_states_; }
  bool has(StateId state) const { return state.index() < n_states_; }
  // Of a state that has() is true of. Null: not made yet.
  const KnownEntry* find(StateId state) const {
    const Slot* slot = slots_.find(state.index());
    return slot == nullptr ? nullptr : slot->made.load(std::memory_order_acquire);
  }
  void add(StateId state, KnownEntry made) {
    const std::lock_guard lock(mutex_);
    Slot& slot = slots_.at(state.index());
    if (slot.made.load(std::memory_order_relaxed) != nullptr) return;
    const auto& kept = owned_.emplace_back(std::make_unique<const KnownEntry>(std::move(made)));
    n_bytes_.fetch_add(memory_of(*kept), std::memory_order_relaxed);
    slot.made.store(kept.get(), std::memory_order_release);
  }
  size_t memory_size_bytes() const { return n_bytes_.load(std::memory_order_relaxed); }

 private:
  struct Slot {
    std::atomic<const KnownEntry*> made{nullptr};
  };

  static size_t memory_of(const KnownEntry& made) {
    return sizeof(KnownEntry) + (made.inside ? made.inside->memory_size_bytes() : 0) +
           (made.entry ? made.entry->memory_size_bytes() : 0);
  }

  const size_t n_states_;
  const GrammarId of_;
  BlockArray<Slot> slots_;
  std::atomic<size_t> n_bytes_{0};
  std::mutex mutex_;
  std::vector<std::unique_ptr<const KnownEntry>> owned_;  // guarded by mutex_
};

}  // namespace xg2lab
