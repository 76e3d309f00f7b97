// Read: find() and add(), then the accounting of bytes with eviction, then the statistics.
#include "mask/pool/mask_pool.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "support/error.h"
#include "support/hash.h"
#include "support/invariants.h"

namespace xg2lab {
namespace {

constexpr size_t kMaxVariants = 32;  // callers kept for one state; the oldest is dropped
constexpr size_t kMaxGrammars = 1024;
constexpr size_t kMaxReturns = 16;  // return states of a rule whose callers are compared

}  // namespace

GrammarId next_grammar_id() {
  static std::atomic<uint32_t> last{0};
  return GrammarId(last.fetch_add(1, std::memory_order_relaxed) + 1);
}

MaskPool::MaskPool(std::shared_ptr<const TokenSets> tokens, int64_t max_bytes, bool has_weak_hashes)
    : tokens_(std::move(tokens)), max_bytes_(max_bytes), structures_(has_weak_hashes) {}

// ---- Finding ----

bool MaskPool::may_agree_beyond(const Program& program, RuleId rule) {
  return program.return_states(rule).size() <= kMaxReturns;
}

PoolLookup MaskPool::find(const PoolKey& key, const Program& program, RuleId rule, GrammarId user) {
  PoolLookup found;
  std::vector<std::shared_ptr<const Variant>> candidates;
  {
    const std::lock_guard lock(mutex_);
    const PooledStates::iterator pooled = look_up(key);
    if (pooled == states_.end()) {
      count(CacheResult::kMiss, user, user);
      return found;
    }
    states_.splice(states_.begin(), states_, pooled);
    found.inside = pooled->inside;
    found.donor = pooled->donor;
    candidates = pooled->variants;
  }
  // Structures are compared without mutex_; the candidates are shared pointers, so an eviction by
  // another thread leaves them valid. If no node of the trie lets the rule end within a token, the
  // entry does not depend on the callers, and any variant fits.
  const bool has_unique_context = program.rule(rule).has_unique_context;
  const bool asks_beyond = !found.inside->return_nodes.empty();
  if (asks_beyond && !may_agree_beyond(program, rule)) candidates.clear();
  const StructuralHash lookahead =
      asks_beyond ? structures_.weakened(lookahead_hash(program, rule)) : StructuralHash{};
  for (auto variant = candidates.rbegin(); variant != candidates.rend(); ++variant) {
    const bool is_same =
        !asks_beyond || ((*variant)->lookahead == lookahead &&
                         (*variant)->has_unique_context == has_unique_context &&
                         (*variant)->beyond && (*variant)->beyond->matches(program, rule));
    if (!is_same) continue;
    found.entry = (*variant)->entry;
    found.donor = (*variant)->donor;
    break;
  }
  const std::lock_guard lock(mutex_);
  count(found.entry ? CacheResult::kPerfectHit : CacheResult::kPartialHit, user, found.donor);
  return found;
}

void MaskPool::add(const PoolKey& key, PoolOffer offer, const Program& program, RuleId rule,
                   GrammarId donor, EventLog* log) {
  auto variant = std::make_shared<Variant>();
  if (offer.beyond) variant->lookahead = structures_.weakened(lookahead_hash(program, rule));
  variant->has_unique_context = program.rule(rule).has_unique_context;
  variant->beyond = std::move(offer.beyond);
  variant->entry = std::move(offer.entry);
  variant->donor = donor;
  auto bytes_of = [](const Variant& of) {
    return sizeof(Variant) + of.entry->memory_size_bytes() +
           (of.beyond ? of.beyond->memory_size_bytes() : 0);
  };
  const std::lock_guard lock(mutex_);
  PooledStates::iterator pooled = look_up(key);
  if (pooled == states_.end()) {
    // All insertions that may throw come before the splice. A pooled state is then in the list, the
    // index and the accounts, or in none of them.
    PooledStates made;
    made.push_front({key, std::move(offer.inside), donor, {}, 0});
    pooled = made.begin();
    const Structure& structure = *key.rule.component;
    const auto n_states = n_states_of_.try_emplace(&structure, 0).first;
    try {
      by_hash_.emplace(hash_of(key), pooled);
    } catch (...) {
      if (n_states->second == 0) n_states_of_.erase(n_states);
      throw;
    }
    states_.splice(states_.begin(), made);
    if (n_states->second++ == 0) statistics_.size_bytes += structure.memory_size_bytes();
    charge(*pooled, kPooledStateBytes + pooled->inside->memory_size_bytes());
  }
  // A variant without recorded callers is kept only if the entry does not depend on the callers.
  if (variant->beyond || pooled->inside->return_nodes.empty()) {
    pooled->variants.push_back(variant);
    charge(*pooled, bytes_of(*variant));
    ++statistics_.n_entries;
    if (pooled->variants.size() > kMaxVariants) {
      const size_t n_bytes = bytes_of(*pooled->variants.front());
      pooled->n_bytes -= n_bytes;
      statistics_.size_bytes -= n_bytes;
      --statistics_.n_entries;
      pooled->variants.erase(pooled->variants.begin());
    }
  }
  evict(donor, log);
  if constexpr (kChecksInvariants) check_accounts();
}

uint64_t MaskPool::hash_of(const PoolKey& key) const {
  const uint64_t hash = hash_combine(key.rule.hash.value, key.state);
  return structures_.weakened({hash}).value;
}

MaskPool::PooledStates::iterator MaskPool::look_up(const PoolKey& key) {
  const auto [begin, end] = by_hash_.equal_range(hash_of(key));
  for (auto it = begin; it != end; ++it) {
    if (it->second->key == key) return it->second;
  }
  return states_.end();
}

// ---- Bytes ----

void MaskPool::charge(PooledState& pooled, size_t n_bytes) {
  pooled.n_bytes += n_bytes;
  statistics_.size_bytes += n_bytes;
}

void MaskPool::drop(PooledStates::iterator pooled) {
  const auto [begin, end] = by_hash_.equal_range(hash_of(pooled->key));
  for (auto it = begin; it != end; ++it) {
    if (it->second != pooled) continue;
    by_hash_.erase(it);
    break;
  }
  const Structure* structure = pooled->key.rule.component.get();
  const auto n_states = n_states_of_.find(structure);
  if (--n_states->second == 0) {
    n_states_of_.erase(n_states);
    statistics_.size_bytes -= structure->memory_size_bytes();
  }
  statistics_.size_bytes -= pooled->n_bytes;
  statistics_.n_entries -= pooled->variants.size();
  states_.erase(pooled);
}

void MaskPool::evict(GrammarId user, EventLog* log) {
  if (max_bytes_ < 0) return;
  // Evicts the least recently used states until I1 holds.
  while (!states_.empty() && statistics_.size_bytes > static_cast<size_t>(max_bytes_)) {
    const PooledStates::iterator oldest = std::prev(states_.end());
    if (log != nullptr && log->is_on()) {
      CacheEvent event;
      event.kind = EventKind::kEviction;
      event.grammar = user;
      event.donor = oldest->donor;
      event.n_bytes = oldest->n_bytes;
      log->add(std::move(event));
    }
    drop(oldest);
    ++statistics_.n_evictions;
  }
}

void MaskPool::clear() {
  const std::lock_guard lock(mutex_);
  by_hash_.clear();
  n_states_of_.clear();
  states_.clear();
  statistics_.size_bytes = 0;
  statistics_.n_entries = 0;
}

void MaskPool::check_accounts() const {
  size_t n_bytes = 0;
  size_t n_entries = 0;
  std::unordered_map<const Structure*, size_t> n_states_of;
  for (auto pooled = states_.begin(); pooled != states_.end(); ++pooled) {
    n_bytes += pooled->n_bytes;
    n_entries += pooled->variants.size();
    XG2LAB_ASSERT(pooled->inside != nullptr && pooled->variants.size() <= kMaxVariants, "pool I4");
    const Structure* const structure = pooled->key.rule.component.get();
    if (n_states_of[structure]++ == 0) n_bytes += structure->memory_size_bytes();
    const auto [begin, end] = by_hash_.equal_range(hash_of(pooled->key));
    const auto is_it = [&](const auto& known) { return &*known.second == &*pooled; };
    XG2LAB_ASSERT(std::count_if(begin, end, is_it) == 1, "pool I4");
  }
  XG2LAB_ASSERT(by_hash_.size() == states_.size(), "pool I4");
  XG2LAB_ASSERT(n_states_of == n_states_of_, "pool I3");
  XG2LAB_ASSERT(n_bytes == statistics_.size_bytes, "pool I3");
  XG2LAB_ASSERT(n_entries == statistics_.n_entries, "pool I4");
  XG2LAB_ASSERT(max_bytes_ < 0 || n_bytes <= static_cast<size_t>(max_bytes_), "pool I1");
}

void MaskPool::check_invariants() const {
  const std::lock_guard lock(mutex_);
  check_accounts();
}

// ---- Accounts ----

void MaskPool::add_grammar(GrammarId id, std::string name) {
  const std::lock_guard lock(mutex_);
  grammars_[id] = {id, std::move(name), 0, 0, 0, 0, 0};
  if (grammars_.size() > kMaxGrammars) grammars_.erase(grammars_.begin());
}

void MaskPool::count(CacheResult result, GrammarId user, GrammarId donor) {
  auto account = [this](GrammarId id) {
    const auto known = grammars_.find(id);
    return known == grammars_.end() ? nullptr : &known->second;
  };
  GrammarStatistics* of_user = account(user);
  GrammarStatistics* of_donor = account(donor);
  if (result != CacheResult::kMiss && of_donor != nullptr) ++of_donor->n_given;
  if (result == CacheResult::kPerfectHit) {
    ++statistics_.n_perfect_hits;
    if (of_user != nullptr) ++of_user->n_perfect_hits;
  } else if (result == CacheResult::kPartialHit) {
    ++statistics_.n_partial_hits;
    if (of_user != nullptr) ++of_user->n_partial_hits;
  } else {
    ++statistics_.n_misses;
    if (of_user != nullptr) ++of_user->n_built;
  }
}

void MaskPool::count_built(GrammarId user) {
  const std::lock_guard lock(mutex_);
  const auto known = grammars_.find(user);
  if (known != grammars_.end()) ++known->second.n_built;
}

void MaskPool::count_background(GrammarId user) {
  const std::lock_guard lock(mutex_);
  const auto known = grammars_.find(user);
  if (known != grammars_.end()) ++known->second.n_background;
}

PoolStatistics MaskPool::statistics() const {
  const std::lock_guard lock(mutex_);
  PoolStatistics out = statistics_;
  out.n_states = states_.size();
  return out;
}

std::string MaskPool::name_of(GrammarId id) const {
  const std::lock_guard lock(mutex_);
  const auto known = grammars_.find(id);
  return known == grammars_.end() ? std::string() : known->second.name;
}

std::vector<GrammarStatistics> MaskPool::by_grammar() const {
  const std::lock_guard lock(mutex_);
  std::vector<GrammarStatistics> out;
  for (const auto& [id, statistics] : grammars_) out.push_back(statistics);
  return out;
}

}  // namespace xg2lab
