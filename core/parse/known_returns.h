// Return columns: the column that contains all items which may follow a set of completed calls,
// made once for each set.
//
// Tests: tests/core/test_column_table.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   After each letter of a name the name may end. The items that follow then, such as the operators
//   of all callers, depend on where the name began and not on its letters. So a step inside such
//   rules refers to one known return column instead of completing and predicting again.
//
//     sum ::= name ("+" name)*   name ::= [a-z]+
//     the columns after "a" and "ab" have one return column: the items that follow the name
//
// Calls that complete at the same byte are one key. Their callers are resumed in one closure, so a
// rule that several of them predict is predicted once.
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
  // Adds the column of a set of calls for which find() returns nothing.
  void add(const Calls& calls, ColumnId column) {
    if (calls.size() == 1) {
      of_one_.add_absent(calls.front(), column);
      return;
    }
    const uint32_t number = several_.of(calls);
    of_several_.resize(number + 1);  // if this throws, find() still returns nothing
    of_several_[number] = column;
  }
  size_t memory_size_bytes() const {
    return of_one_.memory_size_bytes() + several_.memory_size_bytes() +
           of_several_.capacity() * sizeof(ColumnId);
  }

  // Scratch memory of the step that is being computed.
  Calls calls;
  std::vector<Item> items;
  std::vector<ColumnId> origins;

 private:
  DenseMap<uint64_t, ColumnId> of_one_;
  Interned<uint64_t> several_;
  std::vector<ColumnId> of_several_;  // index: number in several_
};

}  // namespace xg2lab
