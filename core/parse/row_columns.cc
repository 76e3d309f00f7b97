// Read: after (makes a column), complete (the goals of one origin), waiting (the waiting items of a
// column of the table).
#include "parse/row_columns.h"

#include <algorithm>
#include <utility>

#include "support/budget.h"
#include "support/error.h"

namespace xg2lab {

RowColumns::Id RowColumns::after(Id origin, ItemRows::Id row) {
  if (const uint32_t* known = after_.find(origin, row)) return *known;
  found_.clear();
  find(origin, rows_.row(row));
  while (true) {  // latest origin first: completing it adds goals of earlier origins only (I1)
    const auto open = [](const Found& found) { return !found.is_done && found.row.ended != 0; };
    auto last = found_.end();
    for (auto at = found_.begin(); at != found_.end(); ++at) {
      if (open(*at) && (last == found_.end() || at->origin > last->origin)) last = at;
    }
    if (last == found_.end()) break;
    last->is_done = true;
    complete(*last);
    count_work("the rows of a column", found_.size());
  }
  const auto begin = static_cast<uint32_t>(parts_.size());
  ItemRows::Id called = 0;
  for (const Found& found : found_) {
    called = rows_.united_goals(called, found.row.called);
    if (found.row.scan != 0 || found.row.waits != 0)
      parts_.push_back({found.origin, found.row.scan, found.row.waits});
  }
  const ItemRows::Row own = rows_.predicted(called);
  if (own.scan != 0 || own.waits != 0) parts_.push_back({kOwn, own.scan, own.waits});
  made_.push_back({begin, static_cast<uint32_t>(parts_.size()) - begin});
  return after_.add(origin, row, kMade | static_cast<uint32_t>(made_.size() - 1));
}

void RowColumns::begin() {
  parts_.clear();
  made_.clear();
  after_.clear();
}

void RowColumns::find(Id origin, const ItemRows::Row& row) {
  const auto known = std::ranges::find(found_, origin, &Found::origin);
  if (known == found_.end()) found_.push_back({origin, row});
  else known->row = rows_.united(known->row, row);
}

// Resumes the items that wait for the goals in the origin column. Items that began in that column
// may complete further goals there (returned_here); those goals then resume the other parts, too.
void RowColumns::complete(Found found) {
  const std::span<const Part> waiting_there = waiting(found.origin);
  ItemRows::Id goals = found.row.ended;
  if (!waiting_there.empty() && waiting_there.back().origin == kOwn) {
    const ItemRows::Return here = rows_.returned_here(waiting_there.back().waits, goals);
    goals = here.goals;
    if (here.row != 0) find(found.origin, rows_.row(here.row));
  }
  for (const Part& part : waiting_there) {
    if (part.origin == kOwn || part.waits == 0) continue;
    if (const ItemRows::Id row = rows_.returned(part.waits, goals))
      find(part.origin, rows_.row(row));
  }
}

void RowColumns::check_invariants() const {
  for (Id made = 0; made < made_.size(); ++made) {
    const std::span<const Part> of = parts(made);
    for (size_t i = 0; i < of.size(); ++i) {
      const Id origin = of[i].origin;
      const bool is_earlier = (origin & kMade) == 0 || (origin & ~kMade) < made;
      const bool is_last = i + 1 == of.size();
      XG2LAB_ASSERT(origin == kOwn ? is_last : is_earlier, "row columns I1");
      XG2LAB_ASSERT(of[i].scan != 0 || of[i].waits != 0, "row columns I1: a part has items");
    }
  }
}

std::span<const RowColumns::Part> RowColumns::waiting(Id column) {
  if ((column & kMade) != 0) return parts(column);
  if (const Parts* known = of_table_.find(column)) return *known;
  Parts parts;
  std::vector<WaitingItem> items(table_.at(ColumnId(column)).waiting.begin(),
                                 table_.at(ColumnId(column)).waiting.end());
  std::ranges::stable_sort(items, {}, [](const WaitingItem& item) { return item.after.origin; });
  std::vector<ItemRows::Wait> waits;
  for (size_t i = 0; i < items.size(); ++i) {
    const auto& [rule, after] = items[i];
    waits.push_back({rule, {after.state, after.goal}});
    if (i + 1 < items.size() && items[i + 1].after.origin == after.origin) continue;
    const Id origin = after.origin == kSelf ? kOwn : after.origin.value;
    parts.push_back({origin, 0, rows_.waits_of(waits)});
    waits.clear();
  }
  const size_t n_bytes = parts.capacity() * sizeof(Part);
  const Parts& kept = of_table_.add(column, std::move(parts)).value;
  n_part_bytes_ += n_bytes;
  return kept;
}

RowColumns::Parts RowColumns::scanned(ColumnId column) {
  std::vector<Item> items;
  for (const Item& item : table_.scannable(column))
    items.push_back(table_.seen_from_outside(item, column));
  std::ranges::stable_sort(items, {}, &Item::origin);
  Parts parts;
  std::vector<ItemRows::Place> places;
  for (size_t i = 0; i < items.size(); ++i) {
    places.push_back({items[i].state, items[i].goal});
    if (i + 1 < items.size() && items[i + 1].origin == items[i].origin) continue;
    parts.push_back({items[i].origin.value, rows_.scan_of(places), 0});
    places.clear();
  }
  return parts;
}

}  // namespace xg2lab
