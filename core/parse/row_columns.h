// Earley columns as rows with origins: what comes after a row of items, in its context.
//
// Tests: tests/differential/test_words.py, tests/differential/test_engine_vs_twin.py,
//        tests/unit/parse_rows.cc
//
// IDEA
//   A column is a list of parts: a row of items (item_rows.h) and the column where these began. One
//   part is the column's own: what is predicted there. Completing goals at an origin asks that
//   column's parts, each by one look-up, and goes on at the origins of those who waited. So a
//   column costs as many steps as it has origins, however many items: it is a node of a
//   graph-structured stack (Tomita 1985), whose edges have LR(0) sets.
//
//     f(a  in a block in a method: the name's column has parts for what may follow an argument, and
//          for what may follow `f(`'s arguments at the call; it has no part of the block, whose
//          items wait in it
//
// Columns of the table are parts' origins as they are: those who wait there are looked up when
// somebody returns.
//
// INVARIANTS
//   I1  a part's origin was made before its column: columns of the table before those made here
//
// Columns made here last for one question (begin()): what comes after them differs from context to
// context.
//
// COST      known: a look-up. New: look-ups, as many as origins that are returned to.
// THREADS   its owner's.
// SEE ALSO  column_table.h I2; here no item carries counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parse/column_table.h"
#include "parse/item_rows.h"
#include "support/dense_map.h"

namespace xg2lab {

class RowColumns {
 public:
  // A column of the table: its id. One that was made here: kMade and a number.
  using Id = uint32_t;
  static constexpr Id kMade = 0x80000000u;
  static constexpr Id kOwn = UINT32_MAX;  // a part's origin: the column itself
  struct Part {
    Id origin;
    ItemRows::Id scan;
    ItemRows::Id waits;
    friend bool operator==(const Part&, const Part&) = default;
  };
  using Parts = std::vector<Part>;

  RowColumns(const ColumnTable& table, ItemRows& rows) : table_(table), rows_(rows) {}

  // Forgets the columns that were made here.
  void begin();
  // The column in which items of `row` stand, with this origin.
  Id after(Id origin, ItemRows::Id row);
  // Of a column that was made here.
  std::span<const Part> parts(Id made) const {
    const Range range = made_[made & ~kMade];
    return std::span(parts_).subspan(range.begin, range.n_parts);
  }
  // What a column of the table may scan, by origins.
  Parts scanned(ColumnId column);
  // Asserts I1 of all columns made here. For tests.
  void check_invariants() const;

  size_t memory_size_bytes() const {
    return after_.memory_size_bytes() + parts_.capacity() * sizeof(Part) +
           made_.capacity() * sizeof(Range) + of_table_.memory_size_bytes() + n_part_bytes_;
  }

 private:
  // What is found of one origin while a column is made.
  struct Found {
    Id origin;
    ItemRows::Row row;
    bool is_done = false;  // its goals are completed
  };
  struct Range {
    uint32_t begin;
    uint32_t n_parts;
  };
  std::span<const Part> waiting(Id column);
  void find(Id origin, const ItemRows::Row& row);
  void complete(Found found);

  const ColumnTable& table_;
  ItemRows& rows_;
  std::vector<Part> parts_;
  std::vector<Range> made_;  // in parts_
  PairMap after_;
  DenseMap<Id, Parts> of_table_;  // the waiting items of columns of the table
  std::vector<Found> found_;
  size_t n_part_bytes_ = 0;  // of of_table_
};

}  // namespace xg2lab
