// The mask pool of one tokenizer: entries that one grammar has built and another can use.
//
// Tests: tests/differential/test_pool.py, tests/core/test_pool.py, tests/unit/mask_pool.cc
//
// IDEA
//   Grammars repeat each other: a JSON string is a JSON string in every tool's schema. An entry
//   depends on the state's rule (inside) and on what may follow the rule (beyond), so the pool
//   keeps both parts of it:
//
//     perfect hit   same rule, and beyond it the walk would see the same: the entry is shared
//     partial hit   same rule, other callers: what the rule alone decides is taken over; only the
//                   tokens during which the rule had ended are walked again
//     miss          no grammar has met the rule: the vocabulary is walked, and both parts are kept
//
//   "Same" is decided on structures (program/structure.h, mask/pool/beyond.h), never on hashes: a
//   collision costs a comparison, not a wrong mask.
//
// INVARIANTS
//   I1  size_bytes() <= max_bytes() after every call, if there is a limit
//   I2  a found entry is the one that classify would make
//   I3  size_bytes() is the bytes of the nodes and of each structure that some node has, once
//   I4  every node is in the index once, and n_entries is the number of their variants
//
// COST      hash tables under one mutex, a few dozen instructions held; comparisons are made
//           outside it. Asked once for each state of a grammar, not in the decode step.
// THREADS   any thread. What is evicted lives on in the stores that use it, and no longer counts
//           here.
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

// A state up to structure.
struct PoolKey {
  RuleStructure rule;
  uint32_t state = 0;
  bool is_expanded = true;  // MaskOptions::context_expansion
  friend bool operator==(const PoolKey&, const PoolKey&) = default;
};

struct PoolFound {
  std::shared_ptr<const InsidePart> inside;  // null: a miss
  std::shared_ptr<const MaskEntry> entry;    // null: a partial hit at best
  GrammarId donor;                           // who built the entry, or else the inside
};

// What a store has made and others may use.
struct PoolOffer {
  std::shared_ptr<const InsidePart> inside;
  std::shared_ptr<const MaskEntry> entry;
  std::optional<Beyond> beyond;  // what the entry's walk saw; none: too much to keep
};

struct GrammarStatistics {
  GrammarId id;
  std::string name;
  uint64_t n_built = 0;         // entries that it walked the vocabulary for
  uint64_t n_perfect_hits = 0;  // entries that it took over
  uint64_t n_partial_hits = 0;  // entries that it took over in part
  uint64_t n_given = 0;         // times that others used what it had built
  uint64_t n_background = 0;    // entries of all these kinds that it came by ahead of its texts
};

struct PoolStatistics {
  size_t n_states = 0;  // up to structure
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

  // Whether entries of the rule's states are worth offering, and looking for, where tokens ask what
  // follows it.
  static bool may_agree_beyond(const Program& program, RuleId rule);

  void add_grammar(GrammarId id, std::string name);
  // What is known of the state, for a grammar where it belongs to `rule` of `program`.
  PoolFound find(const PoolKey& key, const Program& program, RuleId rule, GrammarId user);
  // Keeps what `donor` has made of the state. `log` may be null; it is told of evictions.
  void add(const PoolKey& key, PoolOffer offer, const Program& program, RuleId rule,
           GrammarId donor, EventLog* log);
  void clear();

  // `user` walked for an entry of its own, which is none of the pool's.
  void count_built(GrammarId user);
  // An entry of `user` was come by in the background; find has counted how.
  void count_background(GrammarId user);
  PoolStatistics statistics() const;
  std::vector<GrammarStatistics> by_grammar() const;  // the last 1024, ascending by id
  std::string name_of(GrammarId id) const;            // empty if it is not among them

  // Asserts I1, I3 and I4; O(states kept). For tests.
  void check_invariants() const;

 private:
  // An entry, and the contexts that it holds in.
  struct Variant {
    StructuralHash lookahead;
    bool has_unique_context;
    std::optional<Beyond> beyond;
    std::shared_ptr<const MaskEntry> entry;
    GrammarId donor;
  };
  struct Node {
    PoolKey key;
    std::shared_ptr<const InsidePart> inside;
    GrammarId donor;
    std::vector<std::shared_ptr<const Variant>> variants;  // the newest last
    size_t n_bytes = 0;
  };
  using Nodes = std::list<Node>;
  // A node with its links in the list, and what by_hash_ has for it: a node of its own and a bucket.
  static constexpr size_t kNodeBytes = sizeof(Node) + 2 * sizeof(void*) +
                                       sizeof(std::pair<const uint64_t, Nodes::iterator>) +
                                       2 * sizeof(void*);

  uint64_t hash_of(const PoolKey& key) const;
  Nodes::iterator look_up(const PoolKey& key);
  void charge(Node& node, size_t n_bytes);
  void drop(Nodes::iterator node);
  void evict(GrammarId user, EventLog* log);
  void check_accounts() const;  // under mutex_
  void count(CacheResult result, GrammarId user, GrammarId donor);

  const std::shared_ptr<const TokenSets> tokens_;
  const int64_t max_bytes_;
  StructureTable structures_;  // outlives nodes_: see its destructor

  mutable std::mutex mutex_;  // guards all below
  Nodes nodes_;               // the most recently used first
  std::unordered_multimap<uint64_t, Nodes::iterator> by_hash_;
  std::unordered_map<const Structure*, size_t> n_nodes_of_;  // whose bytes count, once
  std::map<GrammarId, GrammarStatistics> grammars_;
  PoolStatistics statistics_;
};

// A new number for each compiled grammar of the process.
GrammarId next_grammar_id();

}  // namespace xg2lab
