// Read: mask() (look-up), make() (a walk, or a union of entries), check() (uncertain tokens in
// context), write().
// The trick of check(): uncertain tokens come in byte order, so each token shares the columns of
// its common prefix with the token before.
#include "mask/configurations.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <utility>

#include "mask/walk/classify.h"
#include "mask/walk/context_walk.h"
#include "mask/walk/member_conditions.h"
#include "mask/walk/row_walk.h"
#include "support/bits.h"
#include "support/budget.h"

namespace xg2lab {
namespace {

// Merges `more` into `ranks`; both are ascending, and so is the result, without duplicates.
void add_sorted(std::vector<TokenRank>& ranks, std::span<const TokenRank> more) {
  const auto middle = static_cast<ptrdiff_t>(ranks.size());
  ranks.insert(ranks.end(), more.begin(), more.end());
  if (middle == 0 || more.empty()) return;
  std::inplace_merge(ranks.begin(), ranks.begin() + middle, ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
}

}  // namespace

Configurations::Configurations(std::shared_ptr<const Program> program,
                               std::shared_ptr<MaskStore> store, size_t max_bytes,
                               const ParseOptions& options)
    : store_(std::move(store)),
      events_(store_->events()),
      max_bytes_(max_bytes),
      table_(std::move(program), max_bytes, options) {}

Configurations::~Configurations() = default;

std::vector<EntryKey> Configurations::entry_keys(ColumnId column) {
  const Program& program = table_.program();
  const ColumnId at = table_.clamped(column, reach());
  std::vector<EntryKey> keys;
  table_.for_each_item(at, [&](const Item& item) {
    const RuleId rule = program.rule_of(item.state);
    const std::optional<RuleId> counted = program.rule(rule).repeated_by;
    if (!counted || item.goal != rule) {
      keys.push_back({item.state, rule, {}});
      return;
    }
    // Only items of the counted rule wait for the child: each gives one set of counts.
    table_.for_each_waiting(without_mark(item.origin), rule, [&](const Item& after) {
      keys.push_back({item.state, *counted, table_.counts(after)});
    });
  });
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

ActiveTemperature Configurations::temperature(ColumnId column) {
  if (!table_.program().has_temperatures()) return {};
  {
    const std::lock_guard lock(mutex_);
    if (const ActiveTemperature* known = temperatures_.find(column)) return *known;
  }
  const ActiveTemperature active = active_temperature(table_, column);
  const std::lock_guard lock(mutex_);
  const size_t n_bytes = temperatures_.memory_size_bytes();
  temperatures_.add(column, active);  // another thread may have been faster
  n_mask_bytes_.fetch_add(temperatures_.memory_size_bytes() - n_bytes, std::memory_order_relaxed);
  return active;
}

const FinalMask& Configurations::mask(ColumnId column, FillReport* report) {
  if (column.index() < n_slots_.load(std::memory_order_acquire)) {
    if (const FinalMask* known = masks_[column.index()].load(std::memory_order_acquire)) {
      if (report != nullptr) *report = FillReport{};
      if (events_ != nullptr && events_->is_on()) log_fill(FillReport{}, 0);
      return *known;
    }
  }
  const OwnBudget budget(table_.options().limits, Work::kMask);
  // No token is long enough to bring clamped counts to a bound, so the clamped column has the same
  // mask.
  const ColumnId clamped = table_.clamped(column, reach());
  if (clamped == column) return make(column, report);
  const FinalMask& shared = mask(clamped, report);
  const std::lock_guard lock(mutex_);
  slot(column).store(&shared, std::memory_order_release);
  return shared;
}

Configurations::Slot& Configurations::slot(ColumnId column) {
  while (masks_.size() <= column.index()) {
    masks_.append().store(nullptr, std::memory_order_relaxed);
    n_mask_bytes_.fetch_add(sizeof(Slot), std::memory_order_relaxed);
  }
  n_slots_.store(masks_.size(), std::memory_order_release);
  return masks_[column.index()];
}

const FinalMask& Configurations::make(ColumnId column, FillReport* report) {
  const auto begin = std::chrono::steady_clock::now();
  table_.need_contents(column);
  FillReport made;
  std::vector<EntryKey> keys = entry_keys(column);
  const std::optional<CountedRun> run = run_at(column, keys);
  const CountedRun* const found = run ? &*run : nullptr;
  made.way = store_->plan(keys, table_.at(column).expects_token, run.has_value());
  const bool is_walked = made.way == MaskWay::kWalk || made.way == MaskWay::kSharedWalks;
  made.cache = is_walked ? CacheResult::kMiss : CacheResult::kPerfectHit;
  FinalMask mask = is_walked ? walked(column, found, made.way) : united(column, keys, found, made);
  if (report != nullptr) *report = made;
  if (events_ != nullptr && events_->is_on()) log_fill(made, ns_since(begin));

  const std::lock_guard lock(mutex_);
  Slot& known = slot(column);
  if (const FinalMask* other = known.load(std::memory_order_acquire))
    return *other;  // another thread was faster
  size_t n_bytes =
      sizeof(FinalMask) + (mask.extra.capacity() + mask.lacking.capacity()) * sizeof(uint32_t);
  if (mask.merged) n_bytes += sizeof(AdaptiveMask) + mask.merged->memory_size_bytes();
  const FinalMask& kept = owned_.emplace_back(std::move(mask));
  n_mask_bytes_.fetch_add(n_bytes, std::memory_order_relaxed);
  known.store(&kept, std::memory_order_release);
  return kept;
}

// The counted run that the column is in, if runs are walked. The run's walk replaces the entries of
// the run's state, so their keys are removed from `keys`.
std::optional<CountedRun> Configurations::run_at(ColumnId column, std::vector<EntryKey>& keys) {
  const MaskWays& ways = store_->mask_options().ways;
  if (!ways.counted_runs || !ways.walks) return std::nullopt;
  const std::optional<CountedRun> run = find_counted_run(table_, column);
  if (run) std::erase_if(keys, [&](const EntryKey& key) { return key.state == run->state; });
  return run;
}

FinalMask Configurations::walked(ColumnId column, const CountedRun* run, MaskWay& way) {
  FinalMask mask;
  std::optional<AdaptiveMask> found;
  if (way == MaskWay::kSharedWalks) found = walked_by_rows(column);
  if (!found) {
    way = MaskWay::kWalk;
    const size_t n_columns = table_.n_columns();
    found = walk_in_context(table_, store_->tokens(), column, run, store_->mask_options());
    store_->note_walk(table_.n_columns() - n_columns);
  }
  mask.merged = std::make_unique<AdaptiveMask>(std::move(*found));
  mask.base = mask.merged.get();
  mask.n_allowed = mask.base->n_accepted();
  return mask;
}

std::optional<AdaptiveMask> Configurations::walked_by_rows(ColumnId column) {
  RowWalks& walks = row_walks_.get("waiting for a mask that another thread begins", [this] {
    return std::make_unique<RowWalks>(table_, store_->tokens(), store_->mask_options());
  });
  std::optional<AdaptiveMask> found = walks.mask(column);
  n_mask_bytes_.fetch_add(walks.take_new_bytes(), std::memory_order_relaxed);
  return found;
}

FinalMask Configurations::united(ColumnId column, std::span<const EntryKey> keys,
                                 const CountedRun* run, FillReport& report) {
  // Entries are built if missing. The report keeps the worst cache result of all entries.
  std::vector<const MaskEntry*> entries;
  for (const EntryKey& key : keys) {
    std::optional<CacheResult> how;
    entries.push_back(&store_->entry(key, &how));
    if (!how) store_->count_hit(key.state);
    else if (*how == CacheResult::kMiss) ++report.n_built;
    else if (*how == CacheResult::kPartialHit) ++report.n_adapted;
    if (how) report.cache = std::max(report.cache, *how);
  }

  const TokenSets& tokens = store_->tokens();
  std::vector<MaskPart> parts;
  std::vector<std::unique_ptr<AdaptiveMask>>
      made;  // remainders of entries after matched members, and the mask of a run
  std::vector<TokenRank> uncertain;
  for (size_t i = 0; i < entries.size(); ++i) {
    const MaskEntry& entry = *entries[i];
    add_sorted(uncertain, entry.uncertain);
    MaskPart& part = parts.emplace_back(MaskPart{&entry.accepted, {}});
    if (entry.member_lists.empty()) continue;
    std::vector<TokenRank> doubtful;
    auto remaining = remaining_entry(entry, table_, column, keys[i].state, tokens, doubtful);
    if (!remaining) continue;
    add_sorted(uncertain, doubtful);
    part.lacking = std::move(remaining->lacking);
    if (remaining->mask) part.mask = made.emplace_back(std::move(remaining->mask)).get();
  }
  std::span<const uint32_t> beside;  // ids that none of the parts accepts
  if (run != nullptr) {
    const AdaptiveMask* found =
        made.emplace_back(std::make_unique<AdaptiveMask>(
                              walk_run(table_, tokens, *run, store_->mask_options())))
            .get();
    const bool is_list = found->storage() == MaskStorage::kAcceptedList;
    if (run->is_apart && is_list && !parts.empty()) beside = found->ids();
    else parts.push_back({found, {}});
    report.cache =
        std::max(report.cache, keys.empty() ? CacheResult::kMiss : CacheResult::kPartialHit);
  }
  // A token that one entry accepts needs no check, although another entry leaves it uncertain.
  MaskUnion accepted(tokens, parts);
  accepted.remove_from(uncertain);
  report.n_checked = static_cast<uint32_t>(uncertain.size());
  FinalMask mask;
  mask.extra = check(column, uncertain);
  mask.extra.insert(mask.extra.end(), beside.begin(), beside.end());
  mask.n_allowed = accepted.size() + mask.extra.size();
  if (parts.empty()) {
    mask.merged = std::make_unique<AdaptiveMask>();
    mask.base = mask.merged.get();
    return mask;
  }
  // The final mask refers to the largest part if the ids beside it are few. Otherwise the union is
  // stored as a mask of its own.
  const MaskPart& most = *accepted.most();
  const size_t n_beside = accepted.beside().size() + mask.extra.size();
  const bool is_row = parts.size() > 1 && most.mask->storage() == MaskStorage::kBitset;
  if (n_beside <= (is_row ? tokens.n_words / 4 : tokens.n_words)) {
    mask.extra.insert(mask.extra.end(), accepted.beside().begin(), accepted.beside().end());
    mask.base = most.mask;
    mask.lacking = most.lacking;
    for (std::unique_ptr<AdaptiveMask>& own : made) {
      if (mask.base == own.get()) mask.merged = std::move(own);
    }
  } else {
    std::vector<uint32_t> words = std::move(accepted).words();
    set_each(words, mask.extra);
    mask.extra.clear();
    mask.merged = std::make_unique<AdaptiveMask>(tokens, words);
    mask.base = mask.merged.get();
  }
  return mask;
}

void Configurations::log_fill(const FillReport& report, uint64_t ns) const {
  CacheEvent event;
  event.kind = EventKind::kFill;
  event.cache = report.cache;
  event.way = mask_way_name(report.way);
  event.grammar = store_->grammar();
  event.ns = ns;
  events_->add(std::move(event));
}

// A step budget is meant for one token. A longer text gets a fresh budget for each part of this
// size.
constexpr size_t kTextBytesPerBudget = size_t{64} << 10;

ColumnId Configurations::walk_slowly(ColumnId from, std::string_view bytes) {
  for (size_t at = 0; at < bytes.size() && from != kDead; at += kTextBytesPerBudget) {
    const OwnBudget budget(table_.options().limits, Work::kMask);
    for (char byte : bytes.substr(at, kTextBytesPerBudget)) {
      if (from == kDead) break;
      from = table_.step(from, static_cast<uint8_t>(byte));
    }
  }
  return from;
}

std::vector<uint32_t> Configurations::check(ColumnId column, std::span<const TokenRank> uncertain) {
  const Vocabulary& vocabulary = *store_->tokens().vocabulary;
  std::vector<uint32_t> taken;
  std::vector<ColumnId> path{column};  // path[d]: the column after d bytes of `previous`
  std::string_view previous;
  const TokenTrie& trie = store_->tokens().trie;
  count_work("checking uncertain tokens", uncertain.size());
  uint32_t dead_until = 0;  // ranks before it begin with a byte that `column` does not read
  for (TokenRank rank : uncertain) {
    if (rank.value < dead_until) continue;
    const TokenId id = vocabulary.token_at(rank);
    const std::string_view bytes = vocabulary.bytes(id);
    size_t shared = 0;
    while (shared < previous.size() && shared < bytes.size() && previous[shared] == bytes[shared])
      ++shared;
    if (shared < path.size()) path.resize(shared + 1);
    // If `path` is shorter than the shared prefix, the prefix is dead, and so is this token.
    while (path.back() != kDead && path.size() <= bytes.size()) {
      path.push_back(table_.step(path.back(), static_cast<uint8_t>(bytes[path.size() - 1])));
    }
    if (path.back() != kDead) taken.push_back(id.value);
    // The first byte is dead, so all tokens that begin with the same byte are rejected.
    else if (path.size() == 2)
      dead_until = trie.first_rank(trie.top(static_cast<uint8_t>(bytes[0]) + size_t{1}));
    previous = bytes;
  }
  return taken;
}

void Configurations::write(const FinalMask& mask, std::span<uint32_t> target) {
  if (const uint32_t* row = mask.row.words()) {
    std::copy_n(row, target.size(), target.begin());
    return;
  }
  mask.base->write(store_->tokens(), target);
  clear_each(target, mask.lacking);
  set_each(target, mask.extra);
  constexpr size_t kFewListed = 128;  // sets and clears that cost as much as the copy
  if (mask.n_listed() <= kFewListed || !mask.row.is_due()) return;
  const size_t n_bytes = target.size_bytes();
  if (2 * (memory_size_bytes() + n_bytes) > max_bytes_) return;  // columns matter more
  mask.row.keep(target);
  n_mask_bytes_.fetch_add(n_bytes, std::memory_order_relaxed);
}

}  // namespace xg2lab
