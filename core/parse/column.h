// A stored column of the column table: its items, its waiting items, and its known steps.
//
// THREADS   a published column is immutable. The exceptions are its row of steps, its first step
//           and its merged items: each is published later, by a release store of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "parse/inner_sets.h"
#include "parse/item.h"

namespace xg2lab {

// The items of one column that wait for one rule and resume in one state.
struct WaitingGroup {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t begin = 0;  // the items are Column::waiting[begin, end)
  uint32_t end = 0;
  // The group's first n_shared items equal all items of the group `shared` of an earlier column,
  // once kSelf in that group is replaced by the earlier column's id.
  uint32_t n_shared = 0;
  uint32_t shared = kNone;
  ColumnId column;
  uint32_t woken = 0;  // the value of ColumnTable::waking_ when the group was last resumed
};

// The content of a lexer column ("within words"): a set of places inside rules, their origins, and
// the return column, which contains the items that may follow the rules ending at this byte.
struct WithinWords {
  InnerSets::Id inner = InnerSets::kNone;
  std::span<const ColumnId> origins;  // index: slot
  ColumnId rest;                      // the return column; kDead if no rule ends here

  uint64_t hash() const {
    uint64_t hash = hash_combine(inner, rest.value);
    for (ColumnId origin : origins) hash = hash_combine(hash, origin.value);
    return hash;
  }
  friend bool operator==(const WithinWords& a, const WithinWords& b) {
    return a.inner == b.inner && a.rest == b.rest && std::ranges::equal(a.origins, b.origins);
  }
};

// The fields that only a lexer column has.
struct WordColumn {
  WithinWords words;
  // All scannable items of the column, merged at the first call of ColumnTable::scannable().
  mutable std::atomic<const Item*> merged{nullptr};
  mutable uint32_t n_merged = 0;  // written before `merged` is published
};

struct Column {
  std::span<const Item> own;             // scannable items, sorted; empty in a lexer column
  std::span<const WaitingItem> waiting;  // sorted by rule
  const WordColumn* within = nullptr;    // null unless this is a lexer column
  bool is_complete = false;              // a goal with origin kOutside or kBeyond is complete here
  bool expects_token = false;            // some item is before a token edge
  uint32_t first_group =
      WaitingGroup::kNone;  // the column's groups follow in the order of `waiting`; kNone if no
                            // list is long
  std::atomic<std::atomic<uint32_t>*> row{nullptr};
  // The first step that became known: the column that it leads to in the upper 32 bits, 1 + its
  // symbol in the lower ones. 0 if no step is known.
  std::atomic<uint64_t> first_step{0};
};

// Some columns and, transitively, all columns that they refer to.
struct NeededColumns {
  std::vector<uint32_t> ids;  // ascending; without the fixed columns (kOutside, kBeyond, kDead)
  size_t n_bytes = 0;
};

}  // namespace xg2lab
