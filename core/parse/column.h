// What the column table keeps of a column.
//
// THREADS   immutable once it is published, but for rows, steps and merged items, which are
//           published one by one.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "parse/inner_sets.h"
#include "parse/item.h"

namespace xg2lab {

// The items of one column that wait for one rule and go on in one state.
struct WaitingGroup {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t begin = 0;  // in Column::waiting
  uint32_t end = 0;
  // The first n_shared of them are all items of the group `shared`, another column's, as seen from
  // here.
  uint32_t n_shared = 0;
  uint32_t shared = kNone;
  ColumnId column;
  uint32_t woken = 0;  // ColumnTable::waking_ when it was last woken
};

// Within words: a set of places, and the column of all that may come once some of them have ended.
struct WithinWords {
  InnerSets::Id inner = InnerSets::kNone;
  std::span<const ColumnId> origins;  // index: slot
  ColumnId rest;

  uint64_t hash() const {
    uint64_t hash = hash_combine(inner, rest.value);
    for (ColumnId origin : origins) hash = hash_combine(hash, origin.value);
    return hash;
  }
  friend bool operator==(const WithinWords& a, const WithinWords& b) {
    return a.inner == b.inner && a.rest == b.rest && std::ranges::equal(a.origins, b.origins);
  }
};

// What a column within words has more than others.
struct WordColumn {
  WithinWords words;
  // All its scannable items, once somebody asked; how many.
  mutable std::atomic<const Item*> merged{nullptr};
  mutable uint32_t n_merged = 0;  // written before `merged` is published
};

struct Column {
  std::span<const Item> own;             // scannable items, sorted; none if it is within words
  std::span<const WaitingItem> waiting;  // sorted by rule
  const WordColumn* within = nullptr;    // null: it is not within words
  bool is_complete = false;              // a goal with origin kOutside or kBeyond is complete here
  bool expects_token = false;            // an item stands before a token edge
  uint32_t first_group =
      WaitingGroup::kNone;  // of its groups, in the order of `waiting`; long lists only
  std::atomic<std::atomic<uint32_t>*> row{nullptr};
  // The first step that became known: the column after it, then 1 + its symbol. 0: none.
  std::atomic<uint64_t> first_step{0};
};

// Columns and all that they refer to.
struct NeededColumns {
  std::vector<uint32_t> ids;  // ascending; none that every table has
  size_t n_bytes = 0;
};

}  // namespace xg2lab
