// Read: mask (the look-up), make (union of entries), check (uncertain tokens in context), write.
// The trick of check: uncertain tokens come in byte order, so each starts where it leaves the one before.
#include "mask/configurations.h"

#include <algorithm>
#include <chrono>

#include "support/bits.h"

namespace xg2lab {

Configurations::Configurations(std::shared_ptr<const Program> program,
                               std::shared_ptr<MaskStore> store, size_t max_bytes, bool tail_calls)
    : store_(std::move(store)),
      events_(store_->events()),
      max_bytes_(max_bytes),
      table_(std::move(program), max_bytes, tail_calls) {}

std::vector<StateId> Configurations::scannable_states(ColumnId column) const {
  std::vector<StateId> states;
  for (const Item& item : table_.at(column).scannable) {
    if (states.empty() || states.back() != item.state)
      states.push_back(item.state);  // sorted by state
  }
  return states;
}

const FinalMask& Configurations::mask(ColumnId column, FillReport* report) {
  if (column.index() < n_slots_.load(std::memory_order_acquire)) {
    if (const FinalMask* known = masks_[column.index()].load(std::memory_order_acquire)) {
      if (report != nullptr) *report = FillReport{};
      if (events_ != nullptr && events_->is_on()) log_fill(CacheResult::kContextHit, 0);
      return *known;
    }
  }
  return make(column, report);
}

const FinalMask& Configurations::make(ColumnId column, FillReport* report) {
  const auto begin = std::chrono::steady_clock::now();
  FillReport made;
  made.cache = CacheResult::kPerfectHit;
  const std::vector<StateId> states = scannable_states(column);
  std::vector<const MaskEntry*> entries;
  for (StateId state : states) {
    std::optional<CacheResult> how;
    entries.push_back(&store_->entry(state, &how));
    if (!how) store_->count_hit(state);
    else if (*how == CacheResult::kMiss) ++made.n_built;
    else if (*how == CacheResult::kPartialHit) ++made.n_adapted;
    if (how) made.cache = std::max(made.cache, *how);
  }

  const TokenSets& tokens = store_->tokens();
  std::vector<uint32_t> accepted(tokens.n_words, 0);
  std::vector<TokenRank> uncertain;
  for (const MaskEntry* entry : entries) {
    entry->accepted.add_to(tokens, accepted);
    uncertain.insert(uncertain.end(), entry->uncertain.begin(), entry->uncertain.end());
  }
  if (entries.size() > 1) {
    std::sort(uncertain.begin(), uncertain.end());
    uncertain.erase(std::unique(uncertain.begin(), uncertain.end()), uncertain.end());
  }
  FinalMask mask;
  mask.extra = check(column, uncertain, accepted, &made);
  mask.n_allowed = count_ones(accepted) + mask.extra.size();
  if (entries.size() == 1) {
    mask.base = &entries[0]->accepted;
  } else {
    set_each(accepted, mask.extra);
    mask.extra.clear();
    mask.merged = std::make_unique<AdaptiveMask>(tokens, accepted);
    mask.base = mask.merged.get();
  }
  if (report != nullptr) *report = made;
  if (events_ != nullptr && events_->is_on()) log_fill(made.cache, ns_since(begin));

  const std::lock_guard lock(mutex_);
  while (masks_.size() <= column.index()) masks_.append().store(nullptr, std::memory_order_relaxed);
  n_slots_.store(masks_.size(), std::memory_order_release);
  Slot& slot = masks_[column.index()];
  if (const FinalMask* other = slot.load(std::memory_order_acquire))
    return *other;  // made meanwhile
  size_t n_bytes = sizeof(FinalMask) + mask.extra.capacity() * sizeof(uint32_t);
  if (mask.merged) n_bytes += sizeof(AdaptiveMask) + mask.merged->memory_size_bytes();
  n_mask_bytes_.fetch_add(n_bytes, std::memory_order_relaxed);
  const FinalMask& kept = owned_.emplace_back(std::move(mask));
  slot.store(&kept, std::memory_order_release);
  return kept;
}

void Configurations::log_fill(CacheResult cache, uint64_t ns) const {
  CacheEvent event;
  event.kind = EventKind::kFill;
  event.cache = cache;
  event.grammar = store_->grammar();
  event.ns = ns;
  events_->add(std::move(event));
}

std::vector<uint32_t> Configurations::check(ColumnId column, std::span<const TokenRank> uncertain,
                                            std::span<const uint32_t> already_accepted,
                                            FillReport* report) {
  const Vocabulary& vocabulary = *store_->tokens().vocabulary;
  std::vector<uint32_t> taken;
  std::vector<ColumnId> path{column};  // path[d]: the column after d bytes of `previous`
  std::string_view previous;
  for (TokenRank rank : uncertain) {
    const TokenId id = vocabulary.token_at(rank);
    if (test_bit(already_accepted, id.value)) continue;
    ++report->n_checked;
    const std::string_view bytes = vocabulary.bytes(id);
    size_t shared = 0;
    while (shared < previous.size() && shared < bytes.size() && previous[shared] == bytes[shared])
      ++shared;
    if (shared < path.size()) path.resize(shared + 1);
    // If the path is shorter than what is shared, it ended dead within it.
    while (path.back() != kDead && path.size() <= bytes.size()) {
      path.push_back(table_.step(path.back(), static_cast<uint8_t>(bytes[path.size() - 1])));
    }
    if (path.back() != kDead) taken.push_back(id.value);
    previous = bytes;
  }
  return taken;
}

void Configurations::write(const FinalMask& mask, std::span<uint32_t> target) const {
  mask.base->write(store_->tokens(), target);
  set_each(target, mask.extra);
}

}  // namespace xg2lab
