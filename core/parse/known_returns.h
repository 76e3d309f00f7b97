// Where a parse goes on once some calls are complete, all at one place: a column, made once for
// each set of calls.
//
// Tests: tests/core/test_column_table.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   After each letter of a name the name may end. All that may come then, whatever operators the
//   callers have, depends on where the name began and not on its letters. So a step within such
//   rules adds the items of one column that is known, instead of completing and predicting all of
//   them again.
//
//     sum ::= name ("+" name)*   name ::= [a-z]+
//     the columns after "a" and "ab" have in common what follows the name
//
// Calls that end together are one key: what they predict is predicted once, as in any column.
//
// THREADS   under the table's mutex.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "parse/item.h"
#include "support/dense_map.h"
#include "support/interned.h"

namespace xg2lab {

class KnownReturns {
 public:
  using Calls = std::vector<uint64_t>;  // ColumnTable::Call::key, ascending

  std::optional<ColumnId> find(const Calls& calls) const {
    if (calls.size() == 1) {
      const ColumnId* known = of_one_.find(calls.front());
      return known == nullptr ? std::nullopt : std::optional(*known);
    }
    const auto known = several_.find(calls);
    if (!known || *known >= of_several_.size()) return std::nullopt;
    return of_several_[*known];
  }
  // Of calls that are not known.
  void add(const Calls& calls, ColumnId column) {
    if (calls.size() == 1) {
      of_one_.add_absent(calls.front(), column);
      return;
    }
    const uint32_t number = several_.of(calls);
    of_several_.resize(number + 1);  // where this throws, find() doesn't know the calls
    of_several_[number] = column;
  }
  size_t memory_size_bytes() const {
    return of_one_.memory_size_bytes() + several_.memory_size_bytes() +
           of_several_.capacity() * sizeof(ColumnId);
  }

  // Scratch of the step that is being made.
  Calls calls;
  std::vector<Item> items;
  std::vector<ColumnId> origins;

 private:
  DenseMap<uint64_t, ColumnId> of_one_;
  Interned<uint64_t> several_;
  std::vector<ColumnId> of_several_;  // index: number in several_
};

}  // namespace xg2lab
