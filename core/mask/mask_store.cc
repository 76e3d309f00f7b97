// One look-up, and the work behind it: alone, or with what other grammars have left in the pool (share).
#include "mask/mask_store.h"

#include <chrono>
#include <utility>

#include "mask/classify.h"

namespace xg2lab {

MaskStore::MaskStore(std::shared_ptr<const Program> program,
                     std::shared_ptr<const TokenSets> tokens, size_t max_scratch_bytes,
                     const ParseOptions& options, Sharing sharing, GrammarId grammar)
    : program_(std::move(program)),
      tokens_(std::move(tokens)),
      max_scratch_bytes_(max_scratch_bytes),
      options_(options),
      sharing_(std::move(sharing)),
      grammar_(grammar),
      entries_(program_->n_states()),
      origins_(program_->n_states()),
      hits_(program_->n_states()) {}

const MaskEntry* MaskStore::known(const EntryPlace& place) const {
  if (place.counts.empty()) return find(place.state);
  const auto found = counted_entries_.find(place);
  return found == counted_entries_.end() ? nullptr : found->second;
}

const MaskEntry& MaskStore::entry(const EntryPlace& place, std::optional<CacheResult>* how) {
  const bool is_counted = !place.counts.empty();
  if (!is_counted) {
    if (const MaskEntry* entry = known(place)) return *entry;
  }
  const std::lock_guard lock(mutex_);
  if (const MaskEntry* entry = known(place)) return *entry;
  EventLog* log = events();
  const bool is_logged = log != nullptr && log->is_on();
  const auto begin = std::chrono::steady_clock::now();
  if (!scratch_ || scratch_->is_full()) {
    scratch_ = std::make_unique<ColumnTable>(program_, max_scratch_bytes_, options_);
  }
  EntryOrigin origin = own();
  const MaskEntry& made = *owned_.emplace_back(
      sharing_.pool && !is_counted
          ? share(place.state, &origin)
          : std::make_shared<const MaskEntry>(classify(*scratch_, *tokens_, place)));
  n_bytes_.fetch_add(made.memory_size_bytes(), std::memory_order_relaxed);
  if (is_counted) {
    counted_entries_.emplace(place, &made);
  } else {
    origins_[place.state.index()] = origin;
    entries_[place.state.index()].store(&made, std::memory_order_release);
  }
  if (how != nullptr) *how = origin.cache;
  if (is_logged) {
    CacheEvent event;
    event.kind = EventKind::kEntry;
    event.cache = origin.cache;
    event.grammar = grammar_;
    event.donor = origin.donor;
    event.state = place.state.value;
    event.ns = ns_since(begin);
    log->add(std::move(event));
  }
  return made;
}

void MaskStore::put(StateId state, MaskEntry entry) {
  const std::lock_guard lock(mutex_);
  if (find(state) != nullptr) return;
  const MaskEntry& kept = *owned_.emplace_back(std::make_shared<const MaskEntry>(std::move(entry)));
  n_bytes_.fetch_add(kept.memory_size_bytes(), std::memory_order_relaxed);
  origins_[state.index()] = own();
  entries_[state.index()].store(&kept, std::memory_order_release);
}

std::shared_ptr<const MaskEntry> MaskStore::share(StateId state, EntryOrigin* origin) {
  MaskPool& pool = *sharing_.pool;
  if (!structure_)
    structure_ = std::make_unique<const ProgramStructure>(*program_, pool.structures());
  const RuleId rule = program_->rule_of(state);
  const PoolKey key{structure_->rule(rule), structure_->number(state)};
  const PoolFound found = pool.find(key, *program_, rule, grammar_);
  if (found.entry) {
    *origin = {CacheResult::kPerfectHit, found.donor};
    return found.entry;
  }
  WalkRecord record;
  PoolOffer offer;
  if (found.inside) {
    *origin = {CacheResult::kPartialHit, found.donor};
    offer.inside = found.inside;
    offer.entry = std::make_shared<const MaskEntry>(
        adapt(*scratch_, *tokens_, state, *found.inside, &record.steps));
  } else {
    offer.entry = std::make_shared<const MaskEntry>(
        classify(*scratch_, *tokens_, {state, rule, {}}, &record));
    offer.inside = std::make_shared<const InsidePart>(std::move(record.inside));
  }
  offer.beyond = Beyond::of(*scratch_, rule, record.steps);
  std::shared_ptr<const MaskEntry> entry = offer.entry;
  pool.add(key, std::move(offer), *program_, rule, grammar_, events());
  return entry;
}

}  // namespace xg2lab
