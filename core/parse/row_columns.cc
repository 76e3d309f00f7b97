// Read: after (makes a column), complete (the goals of one origin), waiting (the waits of a context
// of the table).
#include "parse/row_columns.h"

#include <algorithm>
#include <utility>

#include "support/budget.h"
#include "support/error.h"

namespace xg2lab {

RowColumns::Id RowColumns::after(Id origin, Rows::Id row) {
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
    count_work("collecting the rows of a column", found_.size());
  }
  const auto begin = static_cast<uint32_t>(parts_.size());
  Rows::Id called = 0;
  for (const Found& found : found_) {
    called = rows_.united_calls(called, found.row.called);
    if (found.row.scan != 0 || found.row.waits != 0)
      parts_.push_back({found.origin, found.row.scan, found.row.waits});
  }
  const Rows::Row own = rows_.predicted(called);
  if (own.scan != 0 || own.waits != 0) parts_.push_back({kOwn, own.scan, own.waits});
  made_.push_back({begin, static_cast<uint32_t>(parts_.size()) - begin});
  return after_.add(origin, row, kMade | static_cast<uint32_t>(made_.size() - 1));
}

void RowColumns::begin() {
  parts_.clear();
  made_.clear();
  after_.clear();
}

void RowColumns::find(Id origin, const Rows::Row& row) {
  const auto known = std::ranges::find(found_, origin, &Found::origin);
  if (known == found_.end()) found_.push_back({origin, row});
  else known->row = rows_.united(known->row, row);
}

// Resumes the items that wait for the goals in the origin column. Items that began in that column
// may complete further goals there (returned_here); those goals then resume the other parts, too.
void RowColumns::complete(Found found) {
  const std::span<const Part> waiting_there = waiting(found.origin);
  Rows::Id goals = found.row.ended;
  if (!waiting_there.empty() && waiting_there.back().origin == kOwn) {
    const Rows::Return here = rows_.returned_here(waiting_there.back().waits, goals);
    goals = here.goals;
    if (here.row != Rows::Row{}) find(found.origin, here.row);
  }
  for (const Part& part : waiting_there) {
    if (part.origin == kOwn || part.waits == 0) continue;
    const Rows::Row row = rows_.returned(part.waits, goals);
    if (row != Rows::Row{}) find(part.origin, row);
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

std::span<const RowColumns::Part> RowColumns::waiting(Id origin) {
  if ((origin & kMade) != 0) return parts(origin);
  if (const Parts* known = of_table_.find(origin)) return *known;
  Parts parts;
  Rows::Id own = 0;
  for (const auto& [list, from] : table_.contexts().parts(ContextId(origin))) {
    const std::span<const Wait> waits = table_.rows().waits(list);
    std::vector<Wait> copy(waits.begin(), waits.end());
    const Rows::Id here = rows_.waits_of(copy);
    if (from == kSelf) own = here;
    else parts.push_back({from.value, 0, here});
  }
  if (own != 0) parts.push_back({kOwn, 0, own});
  const size_t n_bytes = parts.capacity() * sizeof(Part);
  const Parts& kept = of_table_.add(origin, std::move(parts)).value;
  n_part_bytes_ += n_bytes;
  return kept;
}

RowColumns::Parts RowColumns::scanned(ColumnId column) {
  Parts parts;
  for (const auto& [origin, scan] : table_.parts(column)) {
    const std::span<const Place> places = table_.rows().places(scan);
    std::vector<Place> copy(places.begin(), places.end());
    parts.push_back({without_mark(origin).value, rows_.scan_of(copy), 0});
  }
  return parts;
}

}  // namespace xg2lab
