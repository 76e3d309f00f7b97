// Partial JIT: the costliest mask entries of a grammar are made in the background while the caller goes on.
//
// Tests: tests/core/test_partial_jit.py, tests/core/shared_grammar_stress.cc
//
// IDEA
//   A mask entry is made when a text first needs it, in the middle of a decode step. Most entries cost microseconds, a few
//   cost milliseconds. While the model reads its prompt nobody needs the processor, so background threads take the
//   states in order of an estimate (mask/walk/classify.h) and make the first K. Nothing waits for them: a text that
//   needs an entry finds it, or waits for that one while it is being made, or makes it itself.
//
//     [a-z]{3} ("," [a-z]{3})*   all entries are cheap: "auto" makes few or none ahead
//     [^\n]* "\n" | ...           a state that lets most of the vocabulary live is worth it
//
//   Who works ahead holds the grammar's masks only while it makes one entry. When the grammar is dropped there is
//   nothing left to hold, and the work is over: no flag, no waiting.
//
// INVARIANTS
//   I1  a background thread holds no mask store, no claim and no lock but the queue's outside the fork gate
//   I2  n_done <= n_planned, and each planned state is taken once
//
// THREADS   PartialJit: any thread; plan() once, by one. The queue: any thread; mutex_ guards its members.
//           Background threads never touch Python. The queue is never destroyed, so the end of the process waits for
//           nobody; a child of a fork begins with an empty one, and makes on demand what was planned.
// SOURCE    XGrammar 2 section 3.2 (partial JIT). Here K entries are made at any time, not only during a prefill.
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

// One grammar's work.
class PartialJit {
 public:
  static constexpr size_t kAuto = SIZE_MAX;  // all that are worth it

  struct Progress {
    size_t n_planned = 0;
    size_t n_done = 0;  // made here, or found made
    bool is_over = false;
  };

  // Makes the k costliest entries.
  PartialJit(std::weak_ptr<MaskStore> store, size_t k) : store_(std::move(store)), k_(k) {}

  bool is_planned() const { return is_planned_.load(std::memory_order_acquire); }
  // Estimates all states and chooses.
  void plan();
  // Makes the next entry. False: there is none, or the grammar is gone.
  bool make_next();
  Progress progress() const;

 private:
  const std::weak_ptr<MaskStore> store_;
  const size_t k_;
  std::vector<StateId> states_;  // the costliest first; set by plan, before is_planned_
  std::atomic<bool> is_planned_{false};
  std::atomic<size_t> next_{0};
  std::atomic<size_t> n_done_{0};
};

// A state with what its entry was expected to cost and did.
struct StateCost {
  StateId state;
  uint64_t n_visits = 0;       // estimated: trie nodes
  std::optional<uint64_t> ns;  // none: not made yet
  EntryOrigin origin;          // of an entry that is made
};

// Whether the state has an entry that can be made ahead: it reads a byte, and isn't of the child of a counted rule,
// whose entries depend on counts.
bool has_own_entry(const Program& program, StateId state);

// The background threads of the process, and the grammars they work for, in turn.
class BackgroundQueue {
 public:
  static BackgroundQueue& shared();

  // The caller is inside the fork gate.
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
