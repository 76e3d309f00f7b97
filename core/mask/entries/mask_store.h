// The mask store of one compiled grammar: entries by place, made at the first visit and kept.
//
// Model: xg2lab/reference/claims.py, xg2lab/reference/claim_orders.py
// Tests: tests/core/test_masks.py, tests/core/test_pool.py, tests/reference/test_claims.py
//
// IDEA
//   Compiling builds no mask. The first parse that needs a state's split of the vocabulary makes it
//   (just in time, XGrammar 2 section 3.2), or takes it from the tokenizer's pool, where another
//   grammar may have left it; everyone after finds it with one acquire load. Whoever is first
//   claims the entry and works on it without the lock, on a scratch table of its own; who needs the
//   same one meanwhile waits for that one alone. So the background (runtime/partial_jit.h) can make
//   entries ahead of the texts. Entries of counted rules (EntryPlace) are found in a map instead,
//   and not shared: there are a few for each state, and their final masks are kept. Those before a
//   token edge are not shared either: they are made at once (mask/entries/token_entry.h). Nor are
//   those of a member rule that depend on the members matched: they name these.
//
// INVARIANTS
//   I1  an entry is worked on by one thread at a time, and made once
//   I2  who has claimed an entry waits for nobody, so those who wait for it are not kept for ever
//
// THREADS   any thread, inside the fork gate or with the GIL: no child inherits a claim. A place's
//           entry is published by a release store, its origin with it; claims, spare tables and the
//           list of owned entries are guarded by mutex_, which is not held while an entry is made;
//           hits are relaxed counters.
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
#include "mask/pool/mask_pool.h"
#include "mask/sets/adaptive_mask.h"
#include "parse/column_table.h"
#include "support/block_array.h"
#include "support/cache_events.h"
#include "support/made_once.h"
#include "vocab/token_sets.h"

namespace xg2lab {

// What a store shares with others. All of it may be null.
struct Sharing {
  std::shared_ptr<MaskPool> pool;
  std::shared_ptr<EventLog> events;
};

// Why an entry that was built here is not kept for other grammars.
enum class Unshared : uint8_t {
  kIsShared,
  kNoPool,
  kTokenEdge,     // its set of tokens is the entry
  kCounted,       // what it says depends on counts, or on members matched
  kLargeGrammar,  // naming its rules passes over all states
  kLongName,      // a walk costs less than writing the rule down, with all that it calls
  kShortWalk,     // less to do again than to keep
  kLoaded,        // it came with the compiled grammar
};
// "no_pool" and so on; null for kIsShared.
const char* unshared_name(Unshared why);

// Where an entry came from.
struct EntryOrigin {
  CacheResult cache = CacheResult::kMiss;  // a miss: it was built here
  GrammarId donor;                         // whose walk it rests on; our own after a miss
  bool in_background = false;              // made ahead of the texts
  Unshared unshared = Unshared::kIsShared;
};

class MaskStore {
 public:
  MaskStore(std::shared_ptr<const Program> program, std::shared_ptr<const TokenSets> tokens,
            size_t max_scratch_bytes, const ParseOptions& options, const MaskOptions& mask_options,
            Sharing sharing, GrammarId grammar);

  // The place's entry; made now if need be: then `how` says how.
  const MaskEntry& entry(const EntryPlace& place, std::optional<CacheResult>* how = nullptr);
  // Makes the state's own entry ahead of the texts; nothing if there is one, or somebody is making
  // it. Whether it did.
  bool make_ahead(StateId state);
  // What making the state's own entry would cost, in trie nodes (mask/walk/classify.h).
  uint64_t estimate_visits(StateId state);
  // The state's own entry if it has been made.
  const MaskEntry* find(StateId state) const {
    const Place* place = places_.find(state.index());
    return place == nullptr ? nullptr : place->entry.load(std::memory_order_acquire);
  }
  // How the mask of a column with these places is made (mask/plan/plan.h). `places` holds no place
  // of the counted run, if the column is in one.
  MaskWay plan(std::span<const EntryPlace> places, bool expects_token, bool is_in_counted_run);
  // To be called after each walk from a column, with the number of columns that it made.
  void note_walk(size_t n_new_columns);
  // Whether masks are walked for, as far as known, rather than the state's entry made.
  bool is_left_aside(StateId state);
  const MaskOptions& mask_options() const { return mask_options_; }
  const WorkLimits& limits() const { return options_.limits; }
  // An entry of the state's own that was made elsewhere; nothing happens if there is one.
  void put(StateId state, MaskEntry entry);
  // The state's own entry as it is made without the pool, kept nowhere: what one that was put is
  // held against.
  MaskEntry made_anew(StateId state);
  // Of an entry that has been made.
  EntryOrigin origin(const EntryPlace& place) const {
    if (place.counts.empty()) return places_.find(place.state.index())->origin;
    return own(sharing_.pool ? Unshared::kCounted : Unshared::kNoPool);
  }

  uint64_t n_hits(StateId state) const {
    const Place* place = places_.find(state.index());
    return place == nullptr ? 0 : place->n_hits.load(std::memory_order_relaxed);
  }
  void count_hit(StateId state) {
    places_.at(state.index()).n_hits.fetch_add(1, std::memory_order_relaxed);
  }

  const Program& program() const { return *program_; }
  const TokenSets& tokens() const { return *tokens_; }
  const std::shared_ptr<MaskPool>& pool() const { return sharing_.pool; }
  // May be null.
  EventLog* events() const { return sharing_.events.get(); }
  GrammarId grammar() const { return grammar_; }
  size_t memory_size_bytes() const { return n_bytes_.load(std::memory_order_relaxed); }

 private:
  struct Place {
    std::atomic<const MaskEntry*> entry{nullptr};  // the state's own
    std::atomic<uint64_t> n_hits{0};
    EntryOrigin origin;  // written once, before the entry is published
  };

  EntryOrigin own(Unshared unshared = Unshared::kIsShared) const {
    return {CacheResult::kMiss, grammar_, false, unshared};
  }
  // The entry that is there already; null if there is none. Under mutex_ if the place is counted.
  const MaskEntry* known(const EntryPlace& place) const;
  void wait_for_a_claim(std::unique_lock<std::mutex>& lock);
  // What is claimed: makes it, publishes it, and lets go of the claim, whatever happens.
  const MaskEntry& make(const EntryPlace& place, EntryOrigin* origin);
  void publish(const EntryPlace& place, std::shared_ptr<const MaskEntry> entry,
               const EntryOrigin& origin);
  // None, and then `why`.
  std::optional<PoolKey> key_in_pool(StateId state, Unshared* why);
  std::shared_ptr<const MaskEntry> share(WalkScratch& scratch, StateId state, EntryOrigin* origin);
  class FactsOfState;
  class FactsOfColumn;
  const WordsBeyond& words_beyond();
  bool words_follow(const EntryPlace& place);
  bool is_text(const EntryPlace& place);
  std::unique_ptr<WalkScratch> take_scratch();
  void give_back(std::unique_ptr<WalkScratch> scratch);

  const std::shared_ptr<const Program> program_;
  const std::shared_ptr<const TokenSets> tokens_;
  const size_t max_scratch_bytes_;
  const ParseOptions options_;
  const MaskOptions mask_options_;
  const Sharing sharing_;
  const GrammarId grammar_;
  const bool may_share_walks_;  // rows may be walked (mask/walk/row_walk.h)
  BlockArray<Place> places_;    // by state
  std::atomic<size_t> n_bytes_{0};

  std::mutex structure_mutex_;
  std::unique_ptr<ProgramStructure> structure_;  // made when first needed; if there is a pool

  MadeOnce<const WordsBeyond> words_beyond_;
  // Of this grammar's masks so far, for the plan.
  std::atomic<bool> entries_decide_little_{false};
  std::atomic<bool> walks_make_columns_{false};
  std::atomic<bool> words_were_asked_for_{false};

  std::mutex mutex_;
  std::condition_variable claim_ended_;
  std::set<EntryPlace> claimed_;                     // guarded by mutex_
  std::vector<std::unique_ptr<WalkScratch>> spare_;  // guarded by mutex_; for the walks of classify
  std::vector<std::shared_ptr<const MaskEntry>> owned_;  // guarded by mutex_
  std::map<EntryPlace, const MaskEntry*>
      counted_entries_;  // guarded by mutex_; null: one failed to be kept
};

}  // namespace xg2lab
