// Columns move to a fresh table, when one is full: those that a text still needs, and all that they refer to.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "parse/column_table.h"
#include "support/sort_unique.h"

namespace xg2lab {

std::vector<ColumnId> ColumnTable::adopt(const ColumnTable& other,
                                         std::span<const ColumnId> columns) {
  // Origins are made before those who name them (I2): visiting ids in ascending order meets them first.
  std::vector<uint32_t> needed;
  std::unordered_map<uint32_t, uint32_t> moved;
  auto need = [&](ColumnId id) {
    id = without_mark(id);
    if (id != kSelf && moved.emplace(id.value, id.value).second && id > kDead)
      needed.push_back(id.value);
  };
  for (ColumnId id : columns) need(id);
  for (size_t i = 0; i < needed.size(); ++i) {
    const Column& column = other.at(ColumnId(needed[i]));
    if (column.within != nullptr) {
      need(column.within->words.rest);
      for (ColumnId origin : column.within->words.origins) need(origin);
    }
    for (const Item& item : column.own) need(item.origin);
    for (const WaitingItem& item : column.waiting) need(item.after.origin);
  }
  std::sort(needed.begin(), needed.end());

  const std::lock_guard lock(mutex_);
  auto moved_item = [&](Item item) {
    if (item.origin != kSelf)
      item.origin =
          ColumnId(moved.at(without_mark(item.origin).value));  // marks matter in one step
    item.counts = count_sets_.adopt(other.count_sets_, item.state, item.counts);
    return item;
  };
  std::vector<Item> scannable;
  std::vector<WaitingItem> waiting;
  for (uint32_t id : needed) {
    const Column& column = other.at(ColumnId(id));
    scannable.clear();
    waiting.clear();
    if (column.within != nullptr) {
      const auto& [inner, origins, rest] = column.within->words;
      std::vector<ColumnId> moved_origins;
      for (ColumnId origin : origins) moved_origins.push_back(ColumnId(moved.at(origin.value)));
      const InnerSets::Id set = inner_sets_.of(other.inner_sets_.places(inner));
      moved[id] = intern_words({set, moved_origins, ColumnId(moved.at(rest.value))}).value;
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
  for (ColumnId id : columns) result.push_back(ColumnId(moved.at(id.value)));
  return result;
}

}  // namespace xg2lab
