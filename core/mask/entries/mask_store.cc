// Read: entry() (look-up, claim, build), then the plan's facts, then make() and share(), which
// exchanges entries with the pool.
#include "mask/entries/mask_store.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "mask/entries/literal_entry.h"
#include "mask/entries/token_entry.h"
#include "mask/text/home.h"
#include "mask/walk/classify.h"
#include "mask/walk/row_walk.h"
#include "support/budget.h"

namespace xg2lab {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};
constexpr size_t kMaxSpare = 2;  // for the next walks: a decode step's and the background's

}  // namespace

const char* unshared_name(Unshared why) {
  switch (why) {
    case Unshared::kIsShared: return nullptr;
    case Unshared::kNoPool: return "no_pool";
    case Unshared::kTokenEdge: return "token_edge";
    case Unshared::kCounted: return "counted";
    case Unshared::kLargeGrammar: return "large_grammar";
    case Unshared::kLongName: return "long_name";
    case Unshared::kShortWalk: return "short_walk";
    case Unshared::kArguments: return "arguments";
    case Unshared::kLoaded: return "loaded";
  }
  return nullptr;
}

MaskStore::MaskStore(std::shared_ptr<const Program> program,
                     std::shared_ptr<const TokenSets> tokens, size_t max_scratch_bytes,
                     const ParseOptions& options, const MaskOptions& mask_options, Sharing sharing,
                     GrammarId grammar)
    : program_(std::move(program)),
      tokens_(std::move(tokens)),
      max_scratch_bytes_(max_scratch_bytes),
      options_(options),
      mask_options_(mask_options),
      sharing_(std::move(sharing)),
      grammar_(grammar),
      may_share_walks_(RowWalks::may_walk(*program_, options)),
      slots_(program_->n_states()) {}

const MaskEntry* MaskStore::known(const EntryKey& key) const {
  if (key.counts.empty()) return find(key.state);
  const auto found = counted_entries_.find(key);
  return found == counted_entries_.end() ? nullptr : found->second;
}

const MaskEntry& MaskStore::entry(const EntryKey& key, std::optional<CacheResult>* how) {
  if (key.counts.empty()) {
    if (const MaskEntry* entry = known(key)) return *entry;
  }
  {
    std::unique_lock lock(mutex_);
    while (true) {
      if (const MaskEntry* entry = known(key)) return *entry;
      // The lock is held since the look-up, so no other thread can publish or claim the entry in
      // between.
      if (claimed_.insert(key).second) break;
      wait_for_a_claim(lock);
    }
  }
  EntryOrigin origin = own();
  const MaskEntry& made = make(key, &origin);
  if (how != nullptr) *how = origin.cache;
  return made;
}

// A waiting thread that must react to interrupts wakes regularly and checks its own budget. The
// thread that holds the claim works under its own limits, or none, so its end is not bounded by
// ours.
void MaskStore::wait_for_a_claim(std::unique_lock<std::mutex>& lock) {
  if (thread_work.hears == Hears::kNothing) return claim_ended_.wait(lock);
  claim_ended_.wait_for(lock, kBetweenLooks);
  check_budget("waiting for an entry that another thread builds");
}

bool MaskStore::make_ahead(StateId state) {
  const EntryKey key{state, program_->rule_of(state), {}};
  {
    const std::lock_guard lock(mutex_);
    if (known(key) != nullptr || !claimed_.insert(key).second) return false;
  }
  EntryOrigin origin = own();
  origin.in_background = true;
  make(key, &origin);
  if (sharing_.pool) sharing_.pool->count_background(grammar_);
  return true;
}

const WordsBeyond& MaskStore::words_beyond() {
  return words_beyond_.get("finding the rules that words follow",
                           [this] { return std::make_unique<const WordsBeyond>(*program_); });
}

// ---- The plan ----

class MaskStore::FactsOfState {
 public:
  FactsOfState(MaskStore& store, const EntryKey& key) : store_(store), key_(key) {}

  bool words_follow() { return words().has(key_.rule); }
  bool words_follow_at_once() { return words().has_at_once(key_.rule); }
  bool is_left_at_once() { return words().leave_at_once(key_.state); }
  bool may_share_walks() { return store_.may_share_walks_; }
  bool entries_decide_little() {
    return store_.entries_decide_little_.load(std::memory_order_relaxed);
  }
  bool is_text() { return store_.is_text(key_); }

 private:
  const WordsBeyond& words() { return store_.words_beyond(); }

  MaskStore& store_;
  const EntryKey& key_;
};

class MaskStore::FactsOfColumn {
 public:
  FactsOfColumn(MaskStore& store, std::span<const EntryKey> keys, bool expects_token,
                bool is_in_counted_run)
      : store_(store),
        keys_(keys),
        expects_token_(expects_token),
        is_in_counted_run_(is_in_counted_run) {
    for (const EntryKey& key : keys) {
      std::unique_lock lock(store.mutex_, std::defer_lock);
      if (!key.counts.empty()) lock.lock();
      if (const MaskEntry* entry = store.known(key)) n_uncertain_ += entry->uncertain.size();
      else missing_.push_back(&key);
    }
  }

  bool expects_token() const { return expects_token_; }
  bool is_in_counted_run() const { return is_in_counted_run_; }
  size_t n_missing() const { return missing_.size(); }
  size_t n_uncertain() const { return n_uncertain_; }
  size_t n_counted_callers() const {
    size_t n_most = 0;
    for (const EntryKey* key : missing_) {
      if (!key->counts.empty())
        n_most = std::max(n_most, store_.program_->return_states(key->rule).size());
    }
    return n_most;
  }
  bool words_follow() const {
    return std::ranges::any_of(keys_,
                               [this](const EntryKey& key) { return store_.words_follow(key); });
  }
  // False for states that read text letter by letter, as in `part ::= [^()] | ...`: each letter
  // would leave one LR(0) set and enter another, although the column repeats and is a loop column.
  bool may_share_walks() const {
    return store_.may_share_walks_ && std::ranges::none_of(keys_, [this](const EntryKey& key) {
             return store_.words_beyond().leave_after_letters(key.state);
           });
  }
  bool is_first_of_words() const { return !store_.words_were_asked_for_.exchange(true); }
  bool walks_make_columns() const {
    return store_.walks_make_columns_.load(std::memory_order_relaxed);
  }
  bool entry_would_decide_little() const {
    return std::ranges::any_of(missing_, [this](const EntryKey* key) {
      return xg2lab::entry_would_decide_little(FactsOfState(store_, *key),
                                               store_.mask_options_.ways);
    });
  }

 private:
  MaskStore& store_;
  std::span<const EntryKey> keys_;
  const bool expects_token_;
  const bool is_in_counted_run_;
  size_t n_uncertain_ = 0;
  std::vector<const EntryKey*> missing_;
};

MaskWay MaskStore::plan(std::span<const EntryKey> keys, bool expects_token,
                        bool is_in_counted_run) {
  return plan_mask(FactsOfColumn(*this, keys, expects_token, is_in_counted_run), mask_options_.ways,
                   mask_options_.costs);
}

bool MaskStore::is_left_aside(StateId state) {
  const MaskWays& ways = mask_options_.ways;
  if (!ways.walks || program_->is_before_token(state)) return false;
  const EntryKey key{state, program_->rule_of(state), {}};
  return !ways.entries || entry_would_decide_little(FactsOfState(*this, key), ways);
}

void MaskStore::note_walk(size_t n_new_columns) {
  if (n_new_columns > mask_options_.costs.most_new_columns)
    walks_make_columns_.store(true, std::memory_order_relaxed);
}

bool MaskStore::words_follow(const EntryKey& key) {
  return !program_->rule(key.rule).has_unique_context && words_beyond().has(key.rule);
}

// True if most characters lead the state's column back to itself: the entry then costs little and
// decides most tokens.
bool MaskStore::is_text(const EntryKey& key) {
  std::unique_ptr<WalkScratch> scratch = take_scratch();
  const bool has_home =
      scratch->homes.find(scratch->table, *tokens_, inside_of(scratch->table, key)).has_value();
  give_back(std::move(scratch));
  return has_home;
}

uint64_t MaskStore::estimate_visits(StateId state) {
  if (program_->is_before_token(state)) return 0;
  std::unique_ptr<WalkScratch> scratch = take_scratch();
  const uint64_t n_visits = xg2lab::estimate_visits(*scratch, *tokens_, state, mask_options_);
  give_back(std::move(scratch));
  return n_visits;
}

MaskEntry MaskStore::made_anew(StateId state) {
  std::unique_ptr<WalkScratch> scratch = take_scratch();
  MaskEntry entry =
      classify(*scratch, *tokens_, {state, program_->rule_of(state), {}}, mask_options_);
  give_back(std::move(scratch));
  return entry;
}

// ---- Building a claimed entry ----

const MaskEntry& MaskStore::make(const EntryKey& key, EntryOrigin* origin) {
  // The claim ends when this function ends, even by an exception, so that no thread waits forever.
  struct Claim {
    MaskStore& store;
    const EntryKey& key;
    ~Claim() {
      {
        const std::lock_guard lock(store.mutex_);
        store.claimed_.erase(key);
      }
      store.claim_ended_.notify_all();
    }
  } const claim{*this, key};
  EventLog* log = events();
  const bool is_logged = log != nullptr && log->is_on();
  const auto begin = std::chrono::steady_clock::now();
  std::shared_ptr<const MaskEntry> entry;
  const auto keep_to_itself = [&](MaskEntry own, Unshared why) {
    const bool is_of_request = sharing_.known && !sharing_.known->has(key.state);
    origin->unshared = !sharing_.pool  ? Unshared::kNoPool
                       : is_of_request ? Unshared::kArguments
                                       : why;
    if (sharing_.pool) sharing_.pool->count_built(grammar_);
    entry = std::make_shared<const MaskEntry>(std::move(own));
  };
  if (is_known(key)) {
    entry = share_in_template(key.state, origin);
  } else if (program_->is_before_token(key.state)) {
    entry = std::make_shared<const MaskEntry>(token_entry(*tokens_, program_->tokens(key.state)));
    origin->unshared = Unshared::kTokenEdge;
  } else if (auto literal = literal_entry(*tokens_, *program_, key.state)) {
    keep_to_itself(std::move(*literal), Unshared::kShortWalk);
  } else {
    std::unique_ptr<WalkScratch> scratch = take_scratch();
    // Entries of counted rules and entries that name members of this grammar are never shared; nor
    // are those of rules that no other request has.
    if (sharing_.pool && !sharing_.known && key.counts.empty() &&
        !program_->has_choice_of_members(key.state)) {
      entry = share(*scratch, key.state, origin);
    } else {
      keep_to_itself(classify(*scratch, *tokens_, key, mask_options_), Unshared::kCounted);
    }
    give_back(std::move(scratch));
  }
  const MaskEntry& made = *entry;
  publish(key, std::move(entry), *origin);
  if (is_logged) {
    CacheEvent event;
    event.kind = EventKind::kEntry;
    event.cache = origin->cache;
    event.grammar = grammar_;
    event.donor = origin->donor;
    event.state = key.state.value;
    event.in_background = origin->in_background;
    event.ns = ns_since(begin);
    log->add(std::move(event));
  }
  return made;
}

void MaskStore::publish(const EntryKey& key, std::shared_ptr<const MaskEntry> entry,
                        const EntryOrigin& origin) {
  if (entry->uncertain.size() > mask_options_.costs.most_uncertain)
    entries_decide_little_.store(true, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  // Insertions that may throw come first, so that every kept entry can be found.
  const MaskEntry** counted =
      key.counts.empty() ? nullptr : &counted_entries_.try_emplace(key, nullptr).first->second;
  EntrySlot* const own = key.counts.empty() ? &slots_.at(key.state.index()) : nullptr;
  const MaskEntry* made = owned_.emplace_back(std::move(entry)).get();
  n_bytes_.fetch_add(made->memory_size_bytes(), std::memory_order_relaxed);
  if (counted != nullptr) {
    *counted = made;
    return;
  }
  EntrySlot& kept = *own;
  // The release store publishes the origin together with the entry.
  kept.origin = origin;
  kept.entry.store(made, std::memory_order_release);
}

void MaskStore::put(StateId state, MaskEntry entry) {
  if (find(state) != nullptr) return;
  publish({state, program_->rule_of(state), {}},
          std::make_shared<const MaskEntry>(std::move(entry)), own(Unshared::kLoaded));
}

std::unique_ptr<WalkScratch> MaskStore::take_scratch() {
  {
    const std::lock_guard lock(mutex_);
    // A full table is dropped, so scratch memory stays bounded.
    while (!spare_.empty()) {
      std::unique_ptr<WalkScratch> spare = std::move(spare_.back());
      spare_.pop_back();
      if (!spare->table.is_full()) return spare;
    }
  }
  return std::make_unique<WalkScratch>(program_, max_scratch_bytes_, options_, mask_options_.costs);
}

void MaskStore::give_back(std::unique_ptr<WalkScratch> scratch) {
  const std::lock_guard lock(mutex_);
  if (spare_.size() < kMaxSpare) spare_.push_back(std::move(scratch));
}

// The key of a state in the pool is its rule, written down with all rules that the rule calls. None
// if a walk costs less than naming the rule. Example: the state before an object would name every
// key of the object, and its walk is short. A state within a string has a short name and a long
// walk.
std::optional<PoolKey> MaskStore::key_in_pool(StateId state, Unshared* why) {
  const MaskCosts& costs = mask_options_.costs;
  *why = Unshared::kLargeGrammar;
  if (program_->n_states() > std::max<size_t>(costs.most_named_states, tokens_->trie.n_nodes()))
    return std::nullopt;
  size_t n_nodes = 0;  // nodes below the first bytes that the state reads
  const TokenTrie& trie = tokens_->trie;
  for (const TerminalEdge& edge : program_->terminals(state))
    n_nodes += trie.top(edge.range.hi + size_t{1}) - trie.top(edge.range.lo);
  const size_t most_edges = std::max(costs.least_name_edges, n_nodes / costs.nodes_a_name_edge);
  const RuleId rule = program_->rule_of(state);
  const Indivisible indivisible;
  const std::lock_guard lock(structure_mutex_);
  *why = Unshared::kLongName;
  if (!has_short_name(rule, most_edges)) return std::nullopt;
  *why = Unshared::kIsShared;
  try {
    if (!structure_)
      structure_ = std::make_unique<ProgramStructure>(*program_, sharing_.pool->structures());
    const RuleStructure& named = structure_->rule(rule);
    return PoolKey{named, structure_->number(state), mask_options_.context_expansion};
  } catch (...) {
    structure_.reset();  // some rules may be half written
    throw;
  }
}

// Whether the rule's name has at most so many edges. All states of a rule ask, so what is found is
// kept: a bound that the name exceeds, or one that it does not.
bool MaskStore::has_short_name(RuleId rule, size_t most_edges) {
  if (name_bounds_.empty()) name_bounds_.resize(program_->n_rules());
  NameBounds& bounds = name_bounds_[rule.index()];
  if (most_edges <= bounds.exceeded) return false;
  if (most_edges >= bounds.kept) return true;
  const bool is_short = reaches_at_most(*program_, rule, most_edges);
  (is_short ? bounds.kept : bounds.exceeded) = most_edges;
  return is_short;
}

std::shared_ptr<const MaskEntry> MaskStore::share_in_template(StateId state, EntryOrigin* origin) {
  KnownEntries& known = *sharing_.known;
  const KnownEntry* found = known.find(state);
  if (found != nullptr) {
    origin->cache = found->entry ? CacheResult::kPerfectHit : CacheResult::kPartialHit;
    origin->donor = known.of();
    if (found->entry) return found->entry;
    std::unique_ptr<WalkScratch> scratch = take_scratch();
    auto entry = std::make_shared<const MaskEntry>(
        adapt(*scratch, *tokens_, state, *found->inside, mask_options_, nullptr));
    give_back(std::move(scratch));
    return entry;
  }
  if (sharing_.pool) sharing_.pool->count_built(grammar_);
  if (program_->is_before_token(state)) {
    auto entry = std::make_shared<const MaskEntry>(token_entry(*tokens_, program_->tokens(state)));
    known.add(state, {nullptr, entry});
    return entry;
  }
  std::unique_ptr<WalkScratch> scratch = take_scratch();
  WalkRecord record;
  auto entry = std::make_shared<const MaskEntry>(
      classify(*scratch, *tokens_, {state, program_->rule_of(state), {}}, mask_options_, &record));
  give_back(std::move(scratch));
  const bool is_complete = record.inside.return_nodes.empty();
  known.add(state, {std::make_shared<const InsidePart>(std::move(record.inside)),
                    is_complete ? entry : nullptr});
  return entry;
}

std::shared_ptr<const MaskEntry> MaskStore::share(WalkScratch& scratch, StateId state,
                                                  EntryOrigin* origin) {
  MaskPool& pool = *sharing_.pool;
  const RuleId rule = program_->rule_of(state);
  const std::optional<PoolKey> name = key_in_pool(state, &origin->unshared);
  if (!name) {
    pool.count_built(grammar_);
    return std::make_shared<const MaskEntry>(
        classify(scratch, *tokens_, {state, rule, {}}, mask_options_));
  }
  const PoolKey& key = *name;
  const PoolLookup found = pool.find(key, *program_, rule, grammar_);
  if (found.entry) {
    origin->cache = CacheResult::kPerfectHit;
    origin->donor = found.donor;
    return found.entry;
  }
  WalkRecord record;
  PoolOffer offer;
  if (found.inside) {
    origin->cache = CacheResult::kPartialHit;
    origin->donor = found.donor;
    offer.inside = found.inside;
    offer.entry = std::make_shared<const MaskEntry>(
        adapt(scratch, *tokens_, state, *found.inside, mask_options_, &record.steps));
  } else {
    offer.entry = std::make_shared<const MaskEntry>(
        classify(scratch, *tokens_, {state, rule, {}}, mask_options_, &record));
    // Repeating a short walk costs less than keeping the entry in the pool.
    if (record.n_visits < tokens_->trie.n_nodes() / mask_options_.costs.nodes_a_short_walk) {
      origin->unshared = Unshared::kShortWalk;
      return offer.entry;
    }
    offer.inside = std::make_shared<const InsidePart>(std::move(record.inside));
  }
  // If the rule has many callers, two grammars hardly ever agree on them, so the callers are not
  // recorded.
  if (!offer.inside->return_nodes.empty() && MaskPool::may_agree_beyond(*program_, rule))
    offer.beyond = Beyond::of(scratch.table, rule, record.steps);
  std::shared_ptr<const MaskEntry> entry = offer.entry;
  const Indivisible indivisible;
  pool.add(key, std::move(offer), *program_, rule, grammar_, events());
  return entry;
}

}  // namespace xg2lab
