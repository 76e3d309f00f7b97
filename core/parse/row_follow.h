// FOLLOW of rows: the bytes that may come next after a row, in any context.
//
// Tests: tests/differential/test_words.py, tests/unit/parse_rows.cc
//
// IDEA
//   After a row comes a byte that one of its places scans, a byte that a called rule begins with
//   (FIRST), or a byte that may follow a complete goal anywhere in the grammar (FOLLOW). FIRST and
//   FOLLOW are computed once for all states and rules, on the first query.
//
// COST      the first query: linear in the program's edges, times their longest chain of calls
//           (first_follow.h). A new row: its goals and calls.
// THREADS   of(): one thread at a time. The set of a known row never moves.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "parse/row_closure.h"
#include "program/program.h"
#include "support/stable_array.h"

namespace xg2lab {

using RowBytes = std::bitset<256>;

// Adds the bytes of the range.
void add_range(RowBytes& bytes, ByteRange range);

class RowFollow {
 public:
  explicit RowFollow(const Program& program) : program_(program) {}

  // null if of() has not been called for the row.
  const RowBytes* known(uint32_t row) const {
    return row < of_row_.size() && of_row_[row] ? &*of_row_[row] : nullptr;
  }
  // The set of a row whose places scan these bytes.
  const RowBytes& of(uint32_t row, const RowBytes& scanned, std::span<const CalledRule> called,
                     std::span<const EndedGoal> ended);

  size_t memory_size_bytes() const {
    return (first_.capacity() + follow_.capacity()) * sizeof(RowBytes) +
           of_row_.memory_size_bytes();
  }

 private:
  void find_first_and_follow();

  const Program& program_;
  std::vector<RowBytes> first_;                     // index: state; empty until of()
  std::vector<RowBytes> follow_;                    // index: rule
  StableArray<std::optional<RowBytes>, 8> of_row_;  // index: row
};

}  // namespace xg2lab
