// Where a parse goes on once some calls are complete, all at one place: a column, made once for each set of calls.
//
// Tests: tests/core/test_column_table.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   After each letter of a name the name may end. All that may come then, whatever operators the callers have, depends on
//   where the name began and not on its letters. So a step within such rules adds the items of one column that
//   is known, instead of completing and predicting all of them again.
//
//   In  sum ::= name ("+" name)*   name ::= [a-z]+  the columns after "a" and "ab" have what follows the name in common.
//
// Calls that end together are one key: what they predict is predicted once, as in any column.
//
// THREADS   under the table's mutex.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "parse/item.h"

namespace xg2lab {

class KnownReturns {
 public:
  using Calls = std::vector<uint64_t>;  // ColumnTable::Call::key, ascending

  std::optional<ColumnId> find(const Calls& calls) const {
    if (calls.size() == 1) {
      const auto known = of_one_.find(calls.front());
      return known == of_one_.end() ? std::nullopt : std::optional(known->second);
    }
    const auto known = of_several_.find(calls);
    return known == of_several_.end() ? std::nullopt : std::optional(known->second);
  }
  // Returns the bytes that it takes.
  size_t add(const Calls& calls, ColumnId column) {
    constexpr size_t kNodeBytes = 48;
    if (calls.size() == 1) of_one_.emplace(calls.front(), column);
    else of_several_.emplace(calls, column);
    return kNodeBytes + calls.size() * sizeof(uint64_t);
  }

  // Scratch of the step that is being made.
  Calls calls;
  std::vector<Item> items;
  std::vector<ColumnId> origins;

 private:
  std::unordered_map<uint64_t, ColumnId> of_one_;
  std::map<Calls, ColumnId> of_several_;
};

}  // namespace xg2lab
