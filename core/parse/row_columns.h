// The columns of one mask's look-ups, made of rows: the column in which the items of a row are, in
// their context.
//
// Tests: tests/differential/test_words.py, tests/differential/test_engine_vs_twin.py,
//        tests/unit/parse_rows.cc
//
// IDEA
//   A walk shared by all contexts (mask/walk/row_walk.h) finds rows, and needs in each context the
//   rows that may follow. The result is a column as in column_table.h: its own part contains the
//   predicted places, whose origin is the column's context. Here a column and the context of its
//   waiting items have one number, and nothing is interned: a number has a meaning in one mask
//   only. So the masks of a long text leave no columns behind.
//
//     f(a  inside a block inside a method: after the name, the column has a part for the items that
//          may follow an argument, and a part for the item of the call that may read `)`. It has no
//          part for the items of the block: these still wait, in an earlier context.
//
// A part's origin may be a context of the table, whose lists of waits are looked up in rows_ when a
// goal with that origin is complete for the first time.
//
// INVARIANTS
//   I1  a part's origin was made before its column: contexts of the table precede columns made here
//
// COST      known column: one look-up. New column: some look-ups for each origin of completed
//           goals.
// THREADS   belongs to its owner's thread.
// SEE ALSO  column_table.h; here no place carries counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parse/column_table.h"
#include "parse/rows.h"
#include "support/dense_map.h"

namespace xg2lab {

class RowColumns {
 public:
  // The number of a context of the table, or kMade | number of a column made here.
  using Id = uint32_t;
  static constexpr Id kMade = 0x80000000u;
  static constexpr Id kOwn = UINT32_MAX;  // a part's origin: the column itself
  struct Part {
    Id origin;
    Rows::Id scan;
    Rows::Id waits;
    friend bool operator==(const Part&, const Part&) = default;
  };
  using Parts = std::vector<Part>;

  RowColumns(const ColumnTable& table, Rows& rows) : table_(table), rows_(rows) {}

  // Discards the columns made here.
  void begin();
  // The column that the items of `row` with this origin lead to: their goals are completed, and the
  // rules that they call are predicted.
  Id after(Id origin, Rows::Id row);
  // The parts of a column made here.
  std::span<const Part> parts(Id made) const {
    const Range range = made_[made & ~kMade];
    return std::span(parts_).subspan(range.begin, range.n_parts);
  }
  // The parts of a column of the table, as rows of rows_.
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
    Rows::Row row;
    bool is_done = false;  // the row's goals have been completed
  };
  struct Range {
    uint32_t begin;
    uint32_t n_parts;
  };
  std::span<const Part> waiting(Id origin);
  void find(Id origin, const Rows::Row& row);
  void complete(Found found);

  const ColumnTable& table_;
  Rows& rows_;
  std::vector<Part> parts_;
  std::vector<Range> made_;  // in parts_
  PairMap after_;
  DenseMap<Id, Parts> of_table_;  // by context of the table: its waits; kOwn comes last
  std::vector<Found> found_;
  size_t n_part_bytes_ = 0;  // memory of the lists in of_table_
};

}  // namespace xg2lab
