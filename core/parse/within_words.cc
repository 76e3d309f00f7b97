// Lexer columns ("within words"): how they are stored, and how they step.
// Read: step_within_rules (makes the first one), step_within_words.
// The trick: the step of a set of places does not depend on origins, so most steps are three
// look-ups: the next set, its slots, and the return column.
#include <algorithm>

#include "parse/column_table.h"
#include "support/invariants.h"
#include "support/sort_unique.h"

namespace xg2lab {

ColumnId ColumnTable::intern_words(const WithinWords& words) {
  const auto is_equal = [&](uint32_t id) {
    const WordColumn* within = columns_[id].within;
    return within != nullptr && within->words == words;
  };
  if (const auto known = by_content_.find(words.hash(), is_equal)) return ColumnId(*known);
  const ColumnId id(columns_.size());
  Column& column = columns_.append();
  WordColumn& within = word_columns_.emplace_back();
  within.words = {words.inner, keep(words.origins), words.rest};
  column.within = &within;
  n_bytes_.fetch_add(sizeof(WordColumn), std::memory_order_relaxed);
  column.is_complete = columns_[words.rest.index()].is_complete;
  column.expects_token = columns_[words.rest.index()].expects_token;
  insert(words.hash(), id);
  if constexpr (kChecksInvariants) check_column(id);
  return id;
}

std::span<const Item> ColumnTable::scannable(ColumnId id) const {
  const Column& column = columns_[id.index()];
  if (column.within == nullptr) return column.own;
  if (const Item* merged = column.within->merged.load(std::memory_order_acquire))
    return {merged, column.within->n_merged};
  const std::lock_guard lock(mutex_);
  return items_of(column);
}

std::span<const Item> ColumnTable::items_of(const Column& column) const {
  if (column.within == nullptr) return column.own;
  if (const Item* merged = column.within->merged.load(std::memory_order_relaxed))
    return {merged, column.within->n_merged};
  const auto& [inner, origins, rest] = column.within->words;
  // Merged once, then published: `merged` after `n_merged`.
  std::vector<Item> items;
  for (const auto& [state, goal, slot] : inner_sets_.places(inner))
    items.push_back({state, origins[slot], goal});
  for (const Item& item : columns_[rest.index()].own)
    items.push_back(seen_from_outside(item, rest));
  sort_unique(items);
  const std::span<const Item> kept = keep(std::span<const Item>(items));
  column.within->n_merged = static_cast<uint32_t>(kept.size());
  column.within->merged.store(kept.data(), std::memory_order_release);
  return kept;
}

// The step of a lexer column if only its set of places or only its return column survives the byte.
// Returns nothing if both do, or if a place comes before a call: the caller must then step all
// items.
std::optional<ColumnId> ColumnTable::step_within_words(ColumnId from, uint8_t byte) {
  const WithinWords words = columns_[from.index()].within->words;
  const ColumnId after_rest = words.rest == kDead ? kDead : step_locked(words.rest, byte);
  const InnerSets::Step& step = inner_sets_.step(words.inner, byte);
  if (step.meets_call) return std::nullopt;
  if (step.next == InnerSets::kNone && step.ended.empty()) return after_rest;
  if (after_rest != kDead) return std::nullopt;
  KnownReturns::Calls& calls = returns_.calls;
  calls.clear();
  for (const auto& [goal, slot] : step.ended)
    calls.push_back(Call{words.origins[slot], goal}.key());
  sort_unique(calls);
  const ColumnId returned = calls.empty() ? kDead : returned_to(calls);
  if (step.next == InnerSets::kNone) return returned;
  std::vector<ColumnId>& origins = returns_.origins;
  origins.clear();
  for (InnerSets::Slot slot : step.slots) origins.push_back(words.origins[slot]);
  return intern_words({step.next, origins, returned});
}

bool ColumnTable::goes_on_within(ColumnId from, uint8_t byte) {
  const WordColumn* within = columns_[from.index()].within;
  if (within == nullptr) return true;
  const std::lock_guard lock(mutex_);
  const InnerSets::Step& step = inner_sets_.step(within->words.inner, byte);
  return step.meets_call || step.next != InnerSets::kNone;
}

// The step of a column if no scanned item is before a call: nothing is predicted, so the new column
// has no waiting items. Returns nothing otherwise.
std::optional<ColumnId> ColumnTable::step_within_rules(ColumnId from, uint8_t byte) {
  if (has_stacks() || program_->has_counts()) return std::nullopt;
  std::vector<Item>& items = returns_.items;
  KnownReturns::Calls& calls = returns_.calls;
  items.clear();
  calls.clear();
  for (const Item& item : items_of(columns_[from.index()])) {
    for (const TerminalEdge& edge : program_->terminals(item.state)) {
      if (edge.range.lo > byte) break;
      if (!edge.range.contains(byte)) continue;
      if (!program_->calls(edge.to).empty()) return std::nullopt;
      const Item moved = seen_from_outside({edge.to, item.origin, item.goal, item.counts}, from);
      if (program_->is_scannable(edge.to)) items.push_back(moved);
      if (program_->is_accepting(edge.to)) calls.push_back(Call{moved.origin, moved.goal}.key());
    }
  }
  sort_unique(calls);
  const ColumnId rest = calls.empty() ? kDead : returned_to(calls);
  if (items.empty()) return rest;
  sort_unique(items);
  // A set of places can't contain an item before a token edge, so such a column stores its items.
  const bool has_tokens = std::ranges::any_of(
      items, [this](const Item& item) { return program_->is_before_token(item.state); });
  if (!has_tokens) return within_words(items, rest);
  const Column& after = columns_[rest.index()];
  for (const Item& item : after.own) items.push_back(seen_from_outside(item, rest));
  sort_unique(items);
  return intern(items, {}, after.is_complete, &columns_[from.index()]);
}

// Interns a lexer column: numbers the origins of the items as slots.
ColumnId ColumnTable::within_words(std::span<const Item> items, ColumnId rest) {
  std::vector<ColumnId>& origins = returns_.origins;
  origins.clear();
  InnerSets::Places places;
  for (const Item& item : items) {
    const auto known = std::find(origins.begin(), origins.end(), item.origin);
    places.push_back(
        {item.state, item.goal, static_cast<InnerSets::Slot>(known - origins.begin())});
    if (known == origins.end()) origins.push_back(item.origin);
  }
  sort_unique(places);
  return intern_words({inner_sets_.of(places), origins, rest});
}

// The return column of a set of completed calls.
ColumnId ColumnTable::returned_to(const KnownReturns::Calls& calls) {
  if (const auto known = returns_.find(calls)) return *known;
  closure_.begin();
  for (uint64_t key : calls) {
    closure_.complete(ColumnId(static_cast<uint32_t>(key >> 32)),
                      RuleId(static_cast<uint32_t>(key)), kSelf.value);
  }
  closure_.close();
  const ColumnId column = intern_closure();
  returns_.add(calls, column);
  return column;
}

}  // namespace xg2lab
