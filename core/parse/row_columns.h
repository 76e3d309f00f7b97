// Earley columns as rows with origins: the column in which the items of a row are, in their
// context.
//
// Tests: tests/differential/test_words.py, tests/differential/test_engine_vs_twin.py,
//        tests/unit/parse_rows.cc
//
// IDEA
//   A column is a list of parts. A part is a row of items (item_rows.h) and the items' origin. The
//   column's own part contains the predicted items, whose origin is the column itself. To complete
//   the goals of a part, each part of the origin column is looked up once; the items resumed there
//   join the parts with their own origins, whose goals are completed next. So the cost of a column
//   grows with the number of its origins, not of its items: the column is a node of a
//   graph-structured stack (Tomita 1985) whose edges are labelled with LR(0) sets.
//
//     f(a  inside a block inside a method: after the name, the column has a part for the items that
//          may follow an argument, and a part for the item of the call that may read `)`. It has no
//          part for the items of the block: these still wait, in an earlier column.
//
// A part's origin may be a column of the table. The waiting items of that column are grouped into
// parts when a goal with that origin is completed for the first time.
//
// INVARIANTS
//   I1  a part's origin was made before its column: columns of the table precede those made here
//
// The columns made here are valid until begin() is called: their number has a meaning in one
// context only.
//
// COST      known column: one look-up. New column: some look-ups for each origin of completed
//           goals.
// THREADS   belongs to its owner's thread.
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
  // The id of a column of the table, or kMade | number of a column made here.
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

  // Discards the columns made here.
  void begin();
  // The column that the items of `row` with this origin lead to: their goals are completed, and the
  // rules that they call are predicted.
  Id after(Id origin, ItemRows::Id row);
  // The parts of a column made here.
  std::span<const Part> parts(Id made) const {
    const Range range = made_[made & ~kMade];
    return std::span(parts_).subspan(range.begin, range.n_parts);
  }
  // The scannable items of a column of the table, grouped by origin.
  Parts scanned(ColumnId column);
  // Asserts I1 for all columns made here. For tests.
  void check_invariants() const;

  size_t memory_size_bytes() const {
    return after_.memory_size_bytes() + parts_.capacity() * sizeof(Part) +
           made_.capacity() * sizeof(Range) + of_table_.memory_size_bytes() + n_part_bytes_;
  }

 private:
  // The row of one origin in the column that is being made.
  struct Found {
    Id origin;
    ItemRows::Row row;
    bool is_done = false;  // the row's goals have been completed
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
  DenseMap<Id, Parts> of_table_;  // by column of the table: its waiting items
  std::vector<Found> found_;
  size_t n_part_bytes_ = 0;  // memory of the lists in of_table_
};

}  // namespace xg2lab
