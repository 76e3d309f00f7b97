// Partial JIT: builds the costliest mask entries of a grammar in the background while the caller
// continues.
//
// Tests: tests/core/test_partial_jit.py, tests/core/shared_grammar_stress.cc
//
// IDEA
//   A mask entry is built when a text first needs it, in the middle of a decode step. Most entries
//   cost microseconds, a few cost milliseconds. While the model reads its prompt the processor is
//   idle, so background threads order the states by estimated cost (mask/walk/classify.h) and build
//   the entries of the first K. No caller waits for all of them: a text that needs an entry finds
//   it, waits for that entry if it is being built, or builds it itself.
//
//     [a-z]{3} ("," [a-z]{3})*   all entries are cheap: "auto" builds few or none ahead
//     [^\n]* "\n" | ...          a state at which most of the vocabulary survives is built ahead
//
//   A background thread holds the grammar's mask store only while it builds one entry. When the
//   grammar is dropped, the weak reference is empty and the work ends without a flag or a wait.
//
// INVARIANTS
//   I1  outside the fork gate, a background thread holds no mask store, no claim, and no lock
//       except the queue's
//   I2  n_done <= n_planned, and each planned state is taken once
//
// THREADS   PartialJit: any thread; plan() once, by one thread. The queue: any thread; mutex_
//           guards its members. Background threads never touch Python. The queue is never
//           destroyed, so the process can end without waiting for its threads. The child of a fork
//           starts with an empty queue, and builds the planned entries on demand.
// SOURCE    XGrammar 2 section 3.2 (partial JIT). Here the K entries are built at any time, not
//           only during a prefill.
#pragma once

#include <atomic>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "mask/entries/mask_store.h"

namespace xg2lab {

// The background work for one grammar.
class PartialJit {
 public:
  static constexpr size_t kAuto = SIZE_MAX;  // all states whose cost justifies it

  struct Progress {
    size_t n_planned = 0;
    size_t n_done = 0;  // built here, or found built
    bool is_over = false;
  };

  // Builds the k costliest entries.
  PartialJit(std::weak_ptr<MaskStore> store, size_t k) : store_(std::move(store)), k_(k) {}

  bool is_planned() const { return is_planned_.load(std::memory_order_acquire); }
  // Estimates the cost of all states and selects.
  void plan();
  // Builds the next entry. Returns false if none is left or the grammar is gone.
  bool make_next();
  Progress progress() const;

 private:
  const std::weak_ptr<MaskStore> store_;
  const size_t k_;
  std::vector<StateId> states_;  // costliest first; set by plan, before is_planned_
  std::atomic<bool> is_planned_{false};
  std::atomic<size_t> next_{0};
  std::atomic<size_t> n_done_{0};
};

// A state with the estimated and the measured cost of its entry.
struct StateCost {
  StateId state;
  uint64_t n_visits = 0;       // estimated number of trie nodes
  std::optional<uint64_t> ns;  // nothing: not built yet
  EntryOrigin origin;          // if the entry is built
};

// Whether the state has an entry that can be built ahead: it reads a byte, and it doesn't belong to
// the child of a counted rule, whose entries depend on counts.
bool has_own_entry(const Program& program, StateId state);

// The background threads of the process, which serve the queued grammars in turn.
class BackgroundQueue {
 public:
  static BackgroundQueue& shared();

  // The caller must be inside the fork gate.
  void add(std::shared_ptr<PartialJit> work);
  size_t n_workers() const;

 private:
  using Open = std::list<std::shared_ptr<PartialJit>>;

  BackgroundQueue() = default;
  static void start_anew();  // in the child of a fork
  void work();
  void make_workers();

  mutable std::mutex mutex_;
  std::condition_variable wanted_;
  Open open_;
  size_t n_workers_ = 0;
};

}  // namespace xg2lab
