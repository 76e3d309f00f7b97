// The column table's invariants as code: check_column checks the content of one column, and
// check_invariants that no two columns are equal. In a file of its own, which release builds don't
// link.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "parse/column_table.h"
#include "support/error.h"

namespace xg2lab {

void ColumnTable::check_column(ColumnId id) const {
  const std::span<const Part> parts = this->parts(id);
  const auto is_not_before = [](const Part& a, const Part& b) { return a.origin >= b.origin; };
  XG2LAB_ASSERT(std::ranges::adjacent_find(parts, is_not_before) == parts.end(),
                "column table I2: each origin once, in order");
  for (const Part& part : parts) {
    const ContextId origin = without_mark(part.origin);
    XG2LAB_ASSERT(origin != kSelf && origin.index() < contexts_.size(), "column table I2");
    XG2LAB_ASSERT(program_->has_budgets() || !is_begun_here(part.origin), "column table I2");
    XG2LAB_ASSERT(!rows_.places(part.scan).empty(), "column table I4: a part has items");
  }
  XG2LAB_ASSERT(id == kDead || !parts.empty() || columns_[id.index()].is_complete,
                "column table I4");
}

void ColumnTable::check_invariants() const {
  const std::lock_guard lock(mutex_);
  std::set<std::pair<std::vector<Part>, bool>> contents;
  for (size_t i = 0; i < columns_.size(); ++i) {
    check_column(ColumnId(i));
    const std::span<const Part> of = parts(ColumnId(i));
    const bool is_new =
        contents.emplace(std::vector(of.begin(), of.end()), columns_[i].is_complete).second;
    XG2LAB_ASSERT(is_new, "column table I1");
  }
  for (uint32_t i = kBeyond.value + 1; i < contexts_.size(); ++i)
    contexts_.check(ContextId(i), has_stacks() && !program_->has_repetitions());
  rows_.check_invariants();
  count_sets_.check_invariants();
}

}  // namespace xg2lab
