// The mask store of one compiled grammar: mask entries, built on first use and kept.
//
// Model: xg2lab/reference/claims.py, xg2lab/reference/claim_orders.py
// Tests: tests/core/test_masks.py, tests/core/test_pool.py, tests/reference/test_claims.py,
//        tests/unit/mask_store.cc
//
// IDEA
//   Compiling builds no entry. The first parse that reaches a state builds the state's entry just
//   in time (XGrammar 2, section 3.2), or takes an equal entry from the tokenizer's pool. Later
//   look-ups of the entry cost one acquire load.
//
//   A thread *claims* an entry, then builds the entry without the lock, on scratch columns of its
//   own. Only threads that need the same entry wait for the claim to end. Background threads
//   (runtime/partial_jit.h) build entries in the same way, before a text needs them.
//
// EXAMPLE
//   string ::= "\"" [a-z]* "\""          an entry for each state, which the pool may share
//   string ::= "\"" [a-z]{3,500} "\""    in the repetition, an entry for each clamped set of counts
//
// NOT POOLED
//   counted rules   kept in a map, by EntryKey: a state has few sets of counts
//   member rules    if the entry names members of this grammar
//   token edges     the set of ids is the entry (mask/entries/token_entry.h)
//
// INVARIANTS
//   I1  an entry is built by one thread at a time, and once
//   I2  a thread that holds a claim waits for no other claim, so no thread waits forever
//
// THREADS   any thread, inside the fork gate or with the GIL, so that no child process inherits a
//           claim. The entry of a state is published by a release store, after its origin. mutex_
//           guards claims, spare scratch columns and the list of owned entries; a thread that
//           builds an entry does not hold mutex_. Hit counts are relaxed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mask/plan/words_beyond.h"
#include "mask/pool/known_entries.h"
#include "mask/pool/mask_pool.h"
#include "mask/sets/adaptive_mask.h"
#include "parse/column_table.h"
#include "support/block_array.h"
#include "support/cache_events.h"
#include "support/made_once.h"
#include "vocab/token_sets.h"

namespace xg2lab {

// The objects that several stores share. Each pointer may be null.
struct Sharing {
  std::shared_ptr<MaskPool> pool;
  std::shared_ptr<EventLog> events;
  std::shared_ptr<KnownEntries> known{};  // of the template that the grammar is an instance of
};

// Why an entry that was built here is not kept for other grammars.
enum class Unshared : uint8_t {
  kIsShared,
  kNoPool,
  kTokenEdge,     // the set of tokens is the entry
  kCounted,       // the entry depends on counts, or on the members already matched
  kLargeGrammar,  // naming a rule needs a pass over all states
  kLongName,      // a walk costs less than naming the rule and all rules it calls
  kShortWalk,     // repeating the walk costs less than keeping its result
  kArguments,     // the state belongs to a rule that a request's arguments made
  kLoaded,        // the entry was loaded with the compiled grammar
};
// "no_pool" and so on; null for kIsShared.
const char* unshared_name(Unshared why);

// The origin of an entry: how the entry was obtained, and from which grammar.
struct EntryOrigin {
  CacheResult cache = CacheResult::kMiss;  // kMiss: built by this grammar
  GrammarId donor;                         // whose walk is used; our own after a miss
  bool in_background = false;              // built before a text needed it
  Unshared unshared = Unshared::kIsShared;
};

class MaskStore {
 public:
  MaskStore(std::shared_ptr<const Program> program, std::shared_ptr<const TokenSets> tokens,
            size_t max_scratch_bytes, const ParseOptions& options, const MaskOptions& mask_options,
            Sharing sharing, GrammarId grammar);

  // The entry of `key`, built now if it is missing. `how` is set only if this call builds the
  // entry.
  const MaskEntry& entry(const EntryKey& key, std::optional<CacheResult>* how = nullptr);
  // Builds the state's own entry before a text needs it. Returns false, and builds nothing, if the
  // entry exists or another thread has claimed it.
  bool make_ahead(StateId state);
  // Estimates the cost of building the state's own entry, in trie nodes (mask/walk/classify.h).
  uint64_t estimate_visits(StateId state);
  // The state's own entry; null if it has not been built.
  const MaskEntry* find(StateId state) const {
    const EntrySlot* slot = slots_.find(state.index());
    return slot == nullptr ? nullptr : slot->entry.load(std::memory_order_acquire);
  }
  // Chooses the way in which the mask of a column is made (mask/plan/plan.h). `keys` are the
  // entries that the column needs, without those of the counted run that the column may be in.
  MaskWay plan(std::span<const EntryKey> keys, bool expects_token, bool is_in_counted_run);
  // Records how many new columns a walk from a column made. The caller reports each such walk.
  void note_walk(size_t n_new_columns);
  // True if, by the facts known so far, columns with this state are walked and the state's entry is
  // not built.
  bool is_left_aside(StateId state);
  const MaskOptions& mask_options() const { return mask_options_; }
  const WorkLimits& limits() const { return options_.limits; }
  // Publishes a loaded entry as the state's own. Does nothing if the state has an entry.
  void put(StateId state, MaskEntry entry);
  // Builds the state's own entry without the pool and without keeping it, for comparison with a
  // loaded entry.
  MaskEntry made_anew(StateId state);
  // The origin of an entry; the entry must have been built.
  EntryOrigin origin(const EntryKey& key) const {
    if (key.counts.empty()) return slots_.find(key.state.index())->origin;
    return own(sharing_.pool ? Unshared::kCounted : Unshared::kNoPool);
  }

  uint64_t n_hits(StateId state) const {
    const EntrySlot* slot = slots_.find(state.index());
    return slot == nullptr ? 0 : slot->n_hits.load(std::memory_order_relaxed);
  }
  void count_hit(StateId state) {
    slots_.at(state.index()).n_hits.fetch_add(1, std::memory_order_relaxed);
  }

  const Program& program() const { return *program_; }
  const TokenSets& tokens() const { return *tokens_; }
  const std::shared_ptr<MaskPool>& pool() const { return sharing_.pool; }
  // May be null.
  EventLog* events() const { return sharing_.events.get(); }
  GrammarId grammar() const { return grammar_; }
  size_t memory_size_bytes() const { return n_bytes_.load(std::memory_order_relaxed); }

 private:
  struct EntrySlot {
    std::atomic<const MaskEntry*> entry{nullptr};  // the state's own entry
    std::atomic<uint64_t> n_hits{0};
    EntryOrigin origin;  // written once, before the entry is published
  };

  EntryOrigin own(Unshared unshared = Unshared::kIsShared) const {
    return {CacheResult::kMiss, grammar_, false, unshared};
  }
  // The entry if it has been built, else null. The caller holds mutex_ if the key is counted.
  const MaskEntry* known(const EntryKey& key) const;
  void wait_for_a_claim(std::unique_lock<std::mutex>& lock);
  // Builds and publishes the claimed entry. The claim is released on every path, exceptions
  // included.
  const MaskEntry& make(const EntryKey& key, EntryOrigin* origin);
  void publish(const EntryKey& key, std::shared_ptr<const MaskEntry> entry,
               const EntryOrigin& origin);
  // The state's key in the pool; none if the entry is not shared, with the reason in `why`.
  std::optional<PoolKey> key_in_pool(StateId state, Unshared* why);
  bool has_short_name(RuleId rule, size_t most_edges);
  std::shared_ptr<const MaskEntry> share(WalkScratch& scratch, StateId state, EntryOrigin* origin);
  // The entry of a known rule's state, of which other instances of the template may have a part.
  std::shared_ptr<const MaskEntry> share_in_template(StateId state, EntryOrigin* origin);
  bool is_known(const EntryKey& key) const {
    return sharing_.known && sharing_.known->has(key.state) && key.counts.empty() &&
           !program_->has_choice_of_members(key.state);
  }
  class FactsOfState;
  class FactsOfColumn;
  const WordsBeyond& words_beyond();
  bool words_follow(const EntryKey& key);
  bool is_text(const EntryKey& key);
  std::unique_ptr<WalkScratch> take_scratch();
  void give_back(std::unique_ptr<WalkScratch> scratch);

  const std::shared_ptr<const Program> program_;
  const std::shared_ptr<const TokenSets> tokens_;
  const size_t max_scratch_bytes_;
  const ParseOptions options_;
  const MaskOptions mask_options_;
  const Sharing sharing_;
  const GrammarId grammar_;
  const bool may_share_walks_;   // shared walks apply (mask/walk/row_walk.h)
  BlockArray<EntrySlot> slots_;  // by state
  std::atomic<size_t> n_bytes_{0};

  std::mutex structure_mutex_;
  std::unique_ptr<ProgramStructure> structure_;  // made on first use, if there is a pool
  struct NameBounds {
    size_t exceeded = 0;     // a number of edges that the rule's name exceeds
    size_t kept = SIZE_MAX;  // one that it does not exceed
  };
  std::vector<NameBounds> name_bounds_;  // index: rule; empty before the first question

  MadeOnce<const WordsBeyond> words_beyond_;
  // Observations about this grammar's masks so far, which the plan reads.
  std::atomic<bool> entries_decide_little_{false};
  std::atomic<bool> walks_make_columns_{false};
  std::atomic<bool> words_were_asked_for_{false};

  std::mutex mutex_;
  std::condition_variable claim_ended_;
  std::set<EntryKey> claimed_;                           // guarded by mutex_
  std::vector<std::unique_ptr<WalkScratch>> spare_;      // guarded by mutex_; for classify
  std::vector<std::shared_ptr<const MaskEntry>> owned_;  // guarded by mutex_
  std::map<EntryKey, const MaskEntry*>
      counted_entries_;  // guarded by mutex_; null: inserting the entry failed
};

}  // namespace xg2lab
