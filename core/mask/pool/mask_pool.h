// The mask pool of one tokenizer: mask entries that one grammar has built and other grammars reuse.
//
// Twin:  xg2lab/reference/pool.py
// Tests: tests/differential/test_pool.py, tests/core/test_pool.py, tests/unit/mask_pool.cc
//
// IDEA
//   Grammars repeat each other: every tool's schema contains the same JSON string. The entry of a
//   state depends on the state's rule (the rule part, InsidePart) and on the input that may follow
//   the rule (the caller part, Beyond). The pool keeps both parts:
//
//     perfect hit   the rule is equal, and a walk would see equal callers: the entry is shared
//     partial hit   the rule is equal, the callers differ: tokens that the rule alone decides are
//                   copied; only tokens during which the rule ends are walked again
//     miss          the pool has no equal rule: the trie is walked, and both parts are kept
//
//   An entry walks only the bytes that the state itself reads, and the tokens below them. A rule
//   that the state calls has states of its own, and these states have entries of their own.
//
//   Equality is decided by comparing structures (program/structure.h, mask/pool/beyond.h), never by
//   hashes alone: a hash collision costs a comparison, not a wrong mask.
//
// INVARIANTS
//   I1  size_bytes <= max_bytes() after every call, if there is a limit
//   I2  an entry that find() returns equals the entry that classify() would make
//   I3  size_bytes is the sum of the bytes of all pooled states, plus the bytes of each structure
//       that some of them refer to, counted once
//   I4  every pooled state is in the index once; n_entries is the number of all their variants
//
// COST      hash tables under one mutex, held for a few dozen instructions; structures are compared
//           outside the mutex. find() runs once for each state of a grammar, not in each decode
//           step.
// THREADS   any thread. An evicted entry stays alive in the stores that use it; the pool no longer
//           counts its bytes.
// SOURCE    XGrammar 2 section 3.3 (cross-grammar cache, perfect and partial hits).
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "mask/pool/beyond.h"
#include "mask/walk/classify.h"
#include "program/structure.h"
#include "support/cache_events.h"

namespace xg2lab {

// The structural identity of a state: equal for states that differ only in numbering.
struct PoolKey {
  RuleStructure rule;
  uint32_t state = 0;
  bool is_expanded = true;  // MaskOptions::context_expansion
  friend bool operator==(const PoolKey&, const PoolKey&) = default;
};

struct PoolLookup {
  std::shared_ptr<const InsidePart> inside;  // null: a miss
  std::shared_ptr<const MaskEntry> entry;    // null: a partial hit at best
  GrammarId donor;                           // the builder of `entry`; without one, of `inside`
};

// An offer to the pool, from a mask store that has built an entry.
struct PoolOffer {
  std::shared_ptr<const InsidePart> inside;
  std::shared_ptr<const MaskEntry> entry;
  std::optional<Beyond> beyond;  // the callers that the walk saw; none: too many to keep
};

struct GrammarStatistics {
  GrammarId id;
  std::string name;
  uint64_t n_built = 0;         // entries built by a trie walk
  uint64_t n_perfect_hits = 0;  // perfect hits of this grammar in the pool
  uint64_t n_partial_hits = 0;  // partial hits of this grammar in the pool
  uint64_t n_given = 0;         // how often other grammars used its entries
  uint64_t n_background = 0;    // entries of these kinds, obtained in the background
};

struct PoolStatistics {
  size_t n_states = 0;  // states, equal structures counted once
  size_t n_entries = 0;
  size_t size_bytes = 0;
  uint64_t n_perfect_hits = 0;
  uint64_t n_partial_hits = 0;
  uint64_t n_misses = 0;
  uint64_t n_evictions = 0;
};

class MaskPool {
 public:
  // max_bytes: -1 for no limit. `has_weak_hashes`: for tests, see StructureTable.
  MaskPool(std::shared_ptr<const TokenSets> tokens, int64_t max_bytes,
           bool has_weak_hashes = false);

  StructureTable& structures() { return structures_; }
  const std::shared_ptr<const TokenSets>& tokens() const { return tokens_; }
  int64_t max_bytes() const { return max_bytes_; }

  // True if the rule has so few return states that the callers of two grammars may agree. Otherwise
  // an entry whose tokens outlive the rule is neither offered nor looked up.
  static bool may_agree_beyond(const Program& program, RuleId rule);

  void add_grammar(GrammarId id, std::string name);
  // Looks up what the pool has for the state `key`, which belongs to `rule` of `program`.
  PoolLookup find(const PoolKey& key, const Program& program, RuleId rule, GrammarId user);
  // Keeps the offer that `donor` has made for the state `key`. `log` records evictions; it may be
  // null.
  void add(const PoolKey& key, PoolOffer offer, const Program& program, RuleId rule,
           GrammarId donor, EventLog* log);
  void clear();

  // Counts an entry that `user` built by a walk and did not offer to the pool.
  void count_built(GrammarId user);
  // Counts an entry that `user` obtained in the background; find() has counted whether it was a
  // hit.
  void count_background(GrammarId user);
  PoolStatistics statistics() const;
  std::vector<GrammarStatistics> by_grammar() const;  // the newest 1024, by id
  std::string name_of(GrammarId id) const;            // empty unless among them

  // Asserts I1, I3 and I4; O(states kept). For tests.
  void check_invariants() const;

 private:
  // An entry, and the callers for which it is valid.
  struct Variant {
    StructuralHash lookahead;
    bool has_unique_context;
    std::optional<Beyond> beyond;
    std::shared_ptr<const MaskEntry> entry;
    GrammarId donor;
  };
  // The pool's knowledge of one state, whatever grammar it is in.
  struct PooledState {
    PoolKey key;
    std::shared_ptr<const InsidePart> inside;
    GrammarId donor;
    std::vector<std::shared_ptr<const Variant>> variants;  // newest last
    size_t n_bytes = 0;
  };
  using PooledStates = std::list<PooledState>;
  // The bytes of a pooled state with its two list links, and of its element of by_hash_: that
  // element's node and its bucket.
  static constexpr size_t kPooledStateBytes =
      sizeof(PooledState) + 2 * sizeof(void*) +
      sizeof(std::pair<const uint64_t, PooledStates::iterator>) + 2 * sizeof(void*);

  uint64_t hash_of(const PoolKey& key) const;
  PooledStates::iterator look_up(const PoolKey& key);
  void charge(PooledState& pooled, size_t n_bytes);
  void drop(PooledStates::iterator pooled);
  void evict(GrammarId user, EventLog* log);
  void check_accounts() const;  // under mutex_
  void count(CacheResult result, GrammarId user, GrammarId donor);

  const std::shared_ptr<const TokenSets> tokens_;
  const int64_t max_bytes_;
  StructureTable structures_;  // must outlive states_: see its destructor

  mutable std::mutex mutex_;  // guards all below
  PooledStates states_;       // most recently used first
  std::unordered_multimap<uint64_t, PooledStates::iterator> by_hash_;
  std::unordered_map<const Structure*, size_t> n_states_of_;  // structures whose bytes are counted
  std::map<GrammarId, GrammarStatistics> grammars_;
  PoolStatistics statistics_;
};

// Returns a new id for each compiled grammar of the process.
GrammarId next_grammar_id();

}  // namespace xg2lab
