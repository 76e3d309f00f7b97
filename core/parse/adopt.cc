// Moves columns from a full table to a fresh one: the columns that a text still needs, and all
// contexts that they refer to.
#include <algorithm>
#include <utility>

#include "parse/column_table.h"

namespace xg2lab {
namespace {

// The bytes of an interned list beside its elements: its range and its slots in the hash table.
constexpr size_t kListBytes = 20;

}  // namespace

NeededColumns ColumnTable::needed_by(std::span<const ColumnId> columns) const {
  NeededColumns needed;
  for (ColumnId id : columns) {
    if (id != kDead) needed.columns.push_back(id);
  }
  std::ranges::sort(needed.columns);
  needed.columns.erase(std::unique(needed.columns.begin(), needed.columns.end()),
                       needed.columns.end());
  size_t n_contexts = 0;
  {
    const std::lock_guard lock(mutex_);
    n_contexts = contexts_.size();
  }
  std::vector<bool> is_needed(n_contexts);
  const auto need = [&](ContextId context) {
    context = without_mark(context);
    if (context <= kBeyond || context == kSelf || is_needed[context.index()]) return;
    is_needed[context.index()] = true;
    needed.contexts.push_back(context);
  };
  for (ColumnId id : needed.columns) {
    for (const Part& part : parts(id)) need(part.origin);
    needed.n_bytes += sizeof(Column) + kListBytes + parts(id).size_bytes();
  }
  // needed.contexts grows while the loop runs: the loop reaches all contexts referred to.
  for (size_t i = 0; i < needed.contexts.size(); ++i) {
    const std::span<const Contexts::Part> parts = contexts_.parts(needed.contexts[i]);
    for (const Contexts::Part& part : parts) need(part.origin);
    needed.n_bytes += kListBytes + parts.size_bytes();
  }
  std::ranges::sort(needed.contexts);
  return needed;
}

std::vector<ColumnId> ColumnTable::adopt(const ColumnTable& other, const NeededColumns& needed,
                                         std::span<const ColumnId> columns) {
  const std::lock_guard lock(mutex_);
  DenseMap<ContextId, ContextId> moved;
  const auto moved_item = [&](Item item) {
    const ContextId origin = without_mark(item.origin);  // marks matter in steps only
    if (origin != kSelf) item.origin = origin <= kBeyond ? origin : moved.at(origin);
    item.counts = count_sets_.adopt(other.count_sets_, item.state, item.counts);
    return item;
  };
  // `needed` is ascending, and an origin's number is below that of every context that refers to it
  // (contexts.h I2). So origins are moved first.
  for (ContextId context : needed.contexts) {
    std::vector<WaitingItem> waiting = other.contexts_.waiting(context);
    for (WaitingItem& item : waiting) item.after = moved_item(item.after);
    moved.add(context, intern_waiting(std::move(waiting)));
  }
  DenseMap<ColumnId, ColumnId> moved_columns;
  moved_columns.add(kDead, kDead);
  for (ColumnId id : needed.columns) {
    std::vector<Item> items = other.items(id);
    for (Item& item : items) item = moved_item(item);
    moved_columns.add(id, intern_items(std::move(items), other.at(id).is_complete));
  }
  std::vector<ColumnId> result;
  for (ColumnId id : columns) result.push_back(moved_columns.at(id));
  return result;
}

}  // namespace xg2lab
