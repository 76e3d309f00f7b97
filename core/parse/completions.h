// The completions of one column in the making: rows by origin, completed from the newest origin to
// the oldest.
//
// Twin:  xg2lab/reference/rows.py
// Tests: tests/differential/test_rows.py, tests/unit/parse_completions.cc,
//        tests/unit/parse_column_table.cc
//
// IDEA
//   Completing the goals of a row resumes places that wait in the row's origin. They join the rows
//   of their own origins, which may complete goals there in turn. An origin is older than the
//   contexts that refer to it (contexts.h I2), so a completion changes rows of older origins only.
//   Taken from the newest to the oldest, each origin is completed once.
//
// INVARIANTS
//   I1  each origin occurs once
//   I2  after run() no row has a goal to complete
//
// COST      one look-up for each part of the contexts whose goals are completed.
// THREADS   belongs to its owner.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "parse/contexts.h"
#include "parse/rows.h"
#include "support/budget.h"
#include "support/index_table.h"

namespace xg2lab {

class Completions {
 public:
  struct Found {
    ContextId origin;
    Rows::Row row;
  };

  Completions(Rows& rows, Contexts& contexts) : rows_(rows), contexts_(contexts) {}

  void begin() {
    found_.clear();
    by_origin_.clear();
    open_.clear();
    left_outside_ = false;
    contexts_.begin_resuming();
  }

  // Adds the row to the row of its origin.
  void add(ContextId origin, const Rows::Row& row) {
    const auto index = static_cast<uint32_t>(found_.size());
    const uint32_t at = by_origin_.find_or_add(
        hash_mix(origin.value), [&](uint32_t i) { return found_[i].origin == origin; },
        [&](uint32_t i) { return hash_mix(found_[i].origin.value); },
        [&] {
          found_.push_back({origin, {}});
          return index;
        });
    Rows::Row& known = found_[at].row;
    if (known.ended == 0 && row.ended != 0) {
      open_.push_back({origin, at});
      std::ranges::push_heap(open_);
    }
    known = at == index ? row : rows_.united(known, row);
  }

  // Completes all goals (I2).
  void run() {
    while (!open_.empty()) {
      std::ranges::pop_heap(open_);
      const auto [origin, at] = open_.back();
      open_.pop_back();
      complete(origin, std::exchange(found_[at].row.ended, 0));
    }
  }

  const std::vector<Found>& found() const { return found_; }
  // Whether a goal with origin kOutside or kBeyond was completed. Such a column is alive even if it
  // contains no item that scans.
  bool left_outside() const { return left_outside_; }

 private:
  struct Open {
    ContextId origin;
    uint32_t at;  // in found_
    friend auto operator<=>(const Open&, const Open&) = default;
  };

  // Places that began in the origin itself may complete further goals there; these then resume the
  // other parts, too.
  void complete(ContextId origin, Rows::Id goals) {
    left_outside_ = left_outside_ || origin <= kBeyond;
    if (origin == kOutside) return;
    if (const Rows::Id own = contexts_.own(origin)) {
      const Rows::Return here = rows_.returned_here(own, goals);
      goals = here.goals;
      if (here.row != Rows::Row{}) add(origin, here.row);
    }
    size_t n_resumed = 1;
    contexts_.resume(origin, goals, [&](const Contexts::Part& part) {
      ++n_resumed;
      const Rows::Row row = rows_.returned(part.waits, goals);
      if (row != Rows::Row{}) add(without_mark(part.origin), row);
    });
    count_work("reading the next byte", n_resumed);
  }

  Rows& rows_;
  Contexts& contexts_;
  std::vector<Found> found_;
  IndexTable by_origin_;
  std::vector<Open> open_;  // a heap: origins with goals to complete
  bool left_outside_ = false;
};

}  // namespace xg2lab
