// A stored column of the column table: its known steps. Its items are a list of parts.
//
// THREADS   a published column is immutable, but for its known steps, which are published by
//           release stores.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "parse/item.h"
#include "parse/rows.h"

namespace xg2lab {

// The items of a column that share an origin.
struct Part {
  ContextId origin;
  Rows::Id scan;  // the items' places; not empty
  friend auto operator<=>(const Part&, const Part&) = default;
};

// The known steps of a column, in one word: none, one step, or a row of steps. A text reads one
// byte from most of its columns, and such a column gets no row.
class KnownSteps {
 public:
  using Row = std::atomic<uint32_t>;  // index: symbol

  KnownSteps() = default;
  KnownSteps(uint32_t symbol, ColumnId to) : word_(uint64_t{to.value} << 32 | symbol << 1 | 1u) {}
  explicit KnownSteps(Row* row) : word_(reinterpret_cast<uintptr_t>(row)) {}

  bool is_nothing() const { return word_ == 0; }
  bool is_one() const { return (word_ & 1) != 0; }
  // The one step.
  uint32_t symbol() const { return static_cast<uint32_t>(word_) >> 1; }
  ColumnId to() const { return ColumnId(static_cast<uint32_t>(word_ >> 32)); }
  // null unless there is a row.
  Row* row() const { return is_one() ? nullptr : reinterpret_cast<Row*>(uintptr_t(word_)); }

 private:
  uint64_t word_ = 0;  // the address of a row, or, with the lowest bit set, one step
};

struct Column {
  bool is_complete = false;    // a goal with origin kOutside or kBeyond is complete here
  bool expects_token = false;  // some item is before a token edge
  bool lacks_content = false;  // some item is before a content that the program lacks
  std::atomic<KnownSteps> steps{};
};

// Some columns, and all contexts that they refer to, directly or through other contexts.
struct NeededColumns {
  std::vector<ColumnId> columns;    // ascending; without kDead
  std::vector<ContextId> contexts;  // ascending; without kOutside and kBeyond
  size_t n_bytes = 0;
};

}  // namespace xg2lab
