// The Earley chart by position, with every item's reasons: what views draw and explanations quote.
//
// Twin:  xg2lab/reference/earley.py
// Tests: tests/core/test_inspect.py, tests/unit/parse_closure.cc
//
// IDEA
//   The decode step's table forgets positions; a reader wants them. The chart runs the same closure
//   over the same program, one column for each byte read, origins being positions, and an observer
//   writes down for each item the operation and the items that led to it. No tail calls: a
//   textbook's chart.
//
//   An item may be made in several ways: another item's dot moved to the same place, or the same
//   one moved over another match. Then the text has several readings. The first way found is the
//   item's own; the others stand beside the column, the first kMostWays of them in the order of
//   their sources, and how many there are. Who predicts an item is no part of a reading, and
//   neither is an empty match that an item adds to itself.
//
//   A position is a number of bytes, also behind a token that a token edge took whole: it has as
//   many bytes as ever, and the columns within it are empty. Its last column is scanned from the
//   one before it.
//
// EXAMPLE   root ::= Token(5) "b", where token 5 is "<s>", after "<s>b": columns 0, 3 and 4 have
//           items, columns 1 and 2 have none.
//
// INVARIANTS
//   I1  item.origin <= j for every item in column j
//   I2  no item occurs twice in a column
//   I3  a text is a viable prefix in the chart if and only if it is one in the table
//   I4  the last column is not empty
//   I5  ways of an item differ from its own and from each other
//
// COST      push: O(items x calls in their origins), recorded. For inspection, never in the decode
//           step.
// THREADS   a chart belongs to one thread.   SEE ALSO  Earley 1970.
#pragma once

#include <compare>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "parse/closure.h"
#include "program/program.h"

namespace xg2lab {

struct ChartItem {
  Item item;  // origin: position of the column where the item's rule began
  Operation operation = Operation::kStart;
  // The item it came from (scan, complete: the one whose dot moved; predict: the one that asked),
  // and for complete the finished item. kNoItem where there is none.
  uint32_t source_column = 0;
  uint32_t source_index = 0;
  uint32_t child_index = 0;  // in this column
};
inline constexpr uint32_t kNoItem = UINT32_MAX;

// Another way in which an item of the column was made: as its own in ChartItem.
struct ChartWay {
  uint32_t index;  // the item
  Operation operation;
  uint32_t source_column;
  uint32_t source_index;
  uint32_t child_index;

  friend auto operator<=>(const ChartWay&, const ChartWay&) = default;
};
// An item with more ways than its own.
struct ItemWays {
  uint32_t index;
  uint32_t n_others;
  std::vector<ChartWay> others;  // kMostWays at most
};
inline constexpr size_t kMostWays = 8;

class Chart {
 public:
  explicit Chart(std::shared_ptr<const Program> program);
  // Of a text that is to be a match of `root`.
  Chart(std::shared_ptr<const Program> program, RuleId root);

  // Appends the column after `byte`. False, and nothing changes, if no item survives.
  bool push(uint8_t byte);
  // Appends the columns of a token that has bytes, as token edges take it, and its bytes if it is
  // text. False, and nothing changes, if neither does.
  bool push_token(TokenId token, std::string_view bytes, bool is_text);
  // Whether a token edge takes it.
  bool takes(TokenId token) const;
  // As many bytes of the text as survive.
  size_t push_all(std::string_view bytes);
  void pop(size_t n_bytes) { columns_.resize(columns_.size() - n_bytes); }

  size_t n_bytes() const { return columns_.size() - 1; }
  const std::vector<ChartItem>& column(size_t j) const { return columns_[j].items; }
  // Those of its items that were made in several ways, in their order.
  const std::vector<ItemWays>& ways(size_t j) const { return columns_[j].ways; }
  const std::vector<ChartItem>& last() const { return columns_.back().items; }
  bool is_complete() const { return columns_.back().is_complete; }
  const Program& program() const { return *program_; }
  std::shared_ptr<const Program> shared_program() const { return program_; }
  RuleId root() const { return root_; }
  // How many iterations an item of a counted rule may have done.
  CountIntervals counts(const Item& item) const { return count_sets_.intervals(item.counts); }
  const CountSets& count_sets() const { return count_sets_; }

  // Asserts I1, I2, I4 and I5 of all columns; O(items x log). For tests.
  void check_invariants() const;

  // For Closure.
  static constexpr bool has_stacks() { return false; }
  static ColumnId push(const WaitingItem&) { return kSelf; }
  static void allow_stacks(size_t) {}
  static void begin_waking() {}
  static std::span<const Item> returns(const Item&) { return {}; }
  template <class F>
  void wake(ColumnId origin, RuleId goal, F f) const {
    // The root's own origin is column 0 as seen from outside: nobody waits for it there unless a
    // rule asked.
    const ChartColumn& column = columns_[origin.index()];
    for (const uint32_t i : column.callers) {
      const Item& item = column.items[i].item;
      if (const Repetition* repetition = program_->repetition(item.state)) {
        if (repetition->child == goal && count_sets_.may_go_on(item.counts, *repetition))
          f(after_child(*program_, count_sets_, item), i);
        continue;
      }
      if (program_->kind(item.state) == StateKind::kAnyOrder &&
          !count_sets_.members(item.state).may_go_on(item.counts.word))
        continue;
      for (const CallEdge& edge : program_->calls(item.state)) {
        if (edge.rule == goal) f(Item{edge.to, item.origin, item.goal, item.counts}, i);
      }
    }
  }

 private:
  struct ChartColumn {
    std::vector<ChartItem> items;
    std::vector<uint32_t> callers;  // items before rule edges
    std::vector<ItemWays> ways;
    bool is_complete = false;
  };
  struct Recorder {
    std::vector<ChartItem> reasons;
    std::vector<ChartWay> others;
    void added(Operation operation, uint32_t source_column, uint32_t source, uint32_t child) {
      reasons.push_back({Item{}, operation, source_column, source, child});
    }
    void again(uint32_t at, Operation operation, uint32_t source_column, uint32_t source,
               uint32_t child) {
      const bool is_move = operation == Operation::kScan || operation == Operation::kComplete;
      if (is_move) others.push_back({at, operation, source_column, source, child});
    }
    void clear() {
      reasons.clear();
      others.clear();
    }
  };

  void begin_column();
  void scan(uint8_t byte);  // the last column's items
  void scan(size_t from, TokenId token);
  // Runs the closure and appends the column; false if it is empty.
  bool finish_column();
  // Asserts what I1, I2 and I5 say of column `j`.
  void check_column(size_t j) const;
  // What the recorder heard again, without repetitions, by item.
  static std::vector<ItemWays> other_ways(std::vector<ChartWay>& heard,
                                          const std::vector<ChartItem>& items, uint32_t position);

  std::shared_ptr<const Program> program_;
  RuleId root_;
  std::vector<ChartColumn> columns_;
  mutable CountSets count_sets_;  // grows when asked who waits: a chart belongs to one thread
  Recorder recorder_;
  Closure<Chart, Recorder> closure_;
};

}  // namespace xg2lab
