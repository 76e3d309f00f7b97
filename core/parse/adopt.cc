// Moves columns from a full table to a fresh one: the columns that a text still needs, and all
// columns that they refer to.
#include <algorithm>
#include <utility>

#include "parse/column_table.h"
#include "support/sort_unique.h"

namespace xg2lab {

NeededColumns ColumnTable::needed_by(std::span<const ColumnId> columns) const {
  NeededColumns needed;
  std::vector<bool> is_needed(n_columns());
  auto need = [&](ColumnId id) {
    id = without_mark(id);
    if (id <= kDead || id == kSelf || is_needed[id.index()]) return;
    is_needed[id.index()] = true;
    needed.ids.push_back(id.value);
  };
  for (ColumnId id : columns) need(id);
  // needed.ids grows while the loop runs: the loop reaches all columns referred to.
  for (size_t i = 0; i < needed.ids.size(); ++i) {
    const Column& column = at(ColumnId(needed.ids[i]));
    if (column.within != nullptr) {
      need(column.within->words.rest);
      for (ColumnId origin : column.within->words.origins) need(origin);
    }
    for (const Item& item : column.own) need(item.origin);
    for (const WaitingItem& item : column.waiting) need(item.after.origin);
    needed.n_bytes += sizeof(Column) + column.own.size_bytes() + column.waiting.size_bytes();
  }
  std::sort(needed.ids.begin(), needed.ids.end());
  return needed;
}

std::vector<ColumnId> ColumnTable::adopt(const ColumnTable& other, const NeededColumns& needed,
                                         std::span<const ColumnId> columns) {
  std::vector<uint32_t> moved(needed.ids.empty() ? kDead.index() + 1 : needed.ids.back() + 1);
  for (uint32_t id = 0; id <= kDead.value; ++id) moved[id] = id;
  const std::lock_guard lock(mutex_);
  auto moved_item = [&](Item item) {
    if (item.origin != kSelf)
      item.origin = ColumnId(moved[without_mark(item.origin).value]);  // marks matter in steps only
    item.counts = count_sets_.adopt(other.count_sets_, item.state, item.counts);
    return item;
  };
  std::vector<Item> scannable;
  std::vector<WaitingItem> waiting;
  // `needed` is ascending, and an origin's id is below that of every column that refers to it (I2).
  // So origins are moved first.
  for (uint32_t id : needed.ids) {
    const Column& column = other.at(ColumnId(id));
    scannable.clear();
    waiting.clear();
    if (column.within != nullptr) {
      const auto& [inner, origins, rest] = column.within->words;
      std::vector<ColumnId> moved_origins;
      for (ColumnId origin : origins) moved_origins.push_back(ColumnId(moved[origin.value]));
      const InnerSets::Id set = inner_sets_.of(other.inner_sets_.places(inner));
      moved[id] = intern_words({set, moved_origins, ColumnId(moved[rest.value])}).value;
      continue;
    }
    for (const Item& item : column.own) scannable.push_back(moved_item(item));
    for (const WaitingItem& item : column.waiting)
      waiting.push_back({item.rule, moved_item(item.after)});
    sort_unique(scannable);
    sort_unique(waiting);
    moved[id] = intern(scannable, waiting, column.is_complete).value;
  }
  std::vector<ColumnId> result;
  for (ColumnId id : columns) result.push_back(ColumnId(moved[id.value]));
  return result;
}

}  // namespace xg2lab
