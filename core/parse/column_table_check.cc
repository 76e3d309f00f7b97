// The column table's invariants as code: check_column checks the content of one column, and
// check_invariants that no two columns are equal. In a file of its own, which release builds don't
// link.
#include <algorithm>
#include <set>
#include <vector>

#include "parse/column_table.h"
#include "support/error.h"

namespace xg2lab {
namespace {

template <class T>
bool is_strictly_ascending(std::span<const T> values) {
  return std::ranges::adjacent_find(values, [](const T& a, const T& b) { return !(a < b); }) ==
         values.end();
}

// The content by which columns are compared, as a list of numbers.
std::vector<uint64_t> content_of(const Column& column) {
  std::vector<uint64_t> content{column.is_complete ? 1u : 0u, column.own.size()};
  const auto add = [&](const Item& item) {
    content.push_back(Item::pack(item.state.value, item.origin.value));
    content.push_back(Item::pack(item.goal.value, item.counts.word));
  };
  for (const Item& item : column.own) add(item);
  for (const auto& [rule, after] : column.waiting) {
    content.push_back(rule.value);
    add(after);
  }
  return content;
}

}  // namespace

void ColumnTable::check_column(ColumnId id) const {
  const Column& column = columns_[id.index()];
  const auto check_origin = [&](ColumnId origin) {
    XG2LAB_ASSERT(origin == kSelf || without_mark(origin) < id, "column table I2");
    const bool keeps_marks = has_stacks() && program_->has_budgets();
    XG2LAB_ASSERT(origin == kSelf || keeps_marks || !is_begun_here(origin), "column table I2");
    XG2LAB_ASSERT(!has_stacks() || keeps_marks || origin != kSelf, "column table I6");
  };
  XG2LAB_ASSERT(is_strictly_ascending(column.own), "column table I1: items in one order");
  XG2LAB_ASSERT(is_strictly_ascending(column.waiting), "column table I1: items in one order");
  for (const Item& item : column.own) {
    XG2LAB_ASSERT(program_->is_scannable(item.state), "column table I4: own items scan");
    check_origin(item.origin);
  }
  for (const auto& [rule, after] : column.waiting) check_origin(after.origin);
  const auto is_one_place = [](const WaitingItem& a, const WaitingItem& b) {
    return a.rule == b.rule && a.after.is_same_place(b.after);
  };
  XG2LAB_ASSERT(std::ranges::adjacent_find(column.waiting, is_one_place) == column.waiting.end(),
                "closure I1: of items that differ in their counts one waits");
  if (column.within != nullptr) {
    const auto& [inner, origins, rest] = column.within->words;
    XG2LAB_ASSERT(column.own.empty() && column.waiting.empty(), "column table I1: within words");
    XG2LAB_ASSERT(!inner_sets_.places(inner).empty(), "column table I4");
    XG2LAB_ASSERT(rest < id, "column table I2");
    XG2LAB_ASSERT(column.is_complete == columns_[rest.index()].is_complete, "column table I1");
    for (const InnerSets::Place& place : inner_sets_.places(inner))
      XG2LAB_ASSERT(place.slot < origins.size(), "column table I2: a slot has an origin");
    for (ColumnId origin : origins) XG2LAB_ASSERT(origin < id, "column table I2");
  } else if (id > kDead) {
    XG2LAB_ASSERT(!column.own.empty() || !column.waiting.empty() || column.is_complete,
                  "column table I4");
  }
  if (has_stacks() && id > kDead && !column.waiting.empty())
    XG2LAB_ASSERT(column.waiting.size() == 1 && column.own.empty(), "column table I6");
}

void ColumnTable::check_invariants() const {
  const std::lock_guard lock(mutex_);
  std::set<std::vector<uint64_t>> contents;
  std::set<std::vector<uint64_t>> words;
  for (size_t i = kDead.index(); i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    check_column(ColumnId(i));
    if (column.within == nullptr) {
      XG2LAB_ASSERT(contents.insert(content_of(column)).second, "column table I1");
      continue;
    }
    const auto& [inner, origins, rest] = column.within->words;
    std::vector<uint64_t> content{inner, rest.value};
    for (ColumnId origin : origins) content.push_back(origin.value);
    XG2LAB_ASSERT(words.insert(content).second, "column table I1");
  }
  count_sets_.check_invariants();
}

}  // namespace xg2lab
