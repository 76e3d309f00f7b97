// One column of the chart in the making: scan into it, then predict and complete until nothing is
// new. Each item's derivations are recorded.
//
// Twin:  xg2lab/reference/earley.py
// Tests: tests/core/test_inspect.py, tests/unit/parse_closure.cc
//
// IDEA
//   The three operations of Earley's algorithm, item by item:
//
//     scan      an item before a byte moves over the byte (done by the callers of add())
//     predict   an item before a rule edge adds the rule's start item, whose origin is this column
//     complete  an item in an accepting state resumes the items that wait for its goal in its
//               origin: each of them moves over the rule
//
//   A rule that matches the empty string is completed when it is predicted (Aycock and Horspool
//   2002): an item that waits for a nullable rule also moves over it at once. So an item whose
//   origin is the column itself never needs completion, and the closure never reads the unfinished
//   column.
//
//   The decode step has the same operations on whole rows of items (rows.h), which keep no reasons.
//   Unit tests and the twin hold the two against each other.
//
//   An item of an any-order rule calls its member rule (or the separator) while some member may
//   still be matched. An item of the member rule survives while some member that it can reach may
//   still be matched. Completing the item adds the member to the sets of the waiting items.
//
//   An item of a counted rule calls its child while its counts allow another iteration, and is
//   complete while its counts allow the end. The counts may grow after the item was visited; the
//   item is then visited again.
//
// INVARIANTS
//   I1  no place occurs twice (items that differ in their counts are united)
//   I2  after close(): the agenda is closed under predict and complete
//
// COST      O(items of the column x items that they resume).
// THREADS   belongs to its owner.
// SEE ALSO  Earley 1970; Aycock and Horspool 2002.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "parse/counts.h"
#include "parse/item.h"
#include "program/program.h"
#include "support/index_table.h"

namespace xg2lab {

enum class Operation : uint8_t { kStart, kPredict, kScan, kComplete };

inline constexpr uint32_t kNoItem = UINT32_MAX;

// The operation that added an item, and the items that it was made from.
struct Derivation {
  Operation operation = Operation::kStart;
  // The source item. Scan and complete: the item whose dot moved. Predict: the item before the
  // rule edge. kNoItem if there is none.
  uint32_t source_column = kNoItem;
  uint32_t source_index = kNoItem;
  // Complete: the completed item, in the column of the derived one; kNoItem for an empty match.
  uint32_t child_index = kNoItem;

  friend auto operator<=>(const Derivation&, const Derivation&) = default;
};

struct ChartItem {
  Item item;  // origin: position of the column where the item's rule began
  Derivation how;
};
// Another derivation of an item of the column.
struct ChartWay {
  uint32_t index;  // of the item in the column
  Derivation how;

  friend auto operator<=>(const ChartWay&, const ChartWay&) = default;
};
// The other derivations of one item that has any.
struct ItemWays {
  uint32_t index;
  uint32_t n_others;
  std::vector<ChartWay> others;  // the first ones, at most kMostWays
};
inline constexpr size_t kMostWays = 8;

struct ChartColumn {
  std::vector<ChartItem> items;
  std::vector<uint32_t> callers;  // items before rule edges
  std::vector<ItemWays> ways;
  bool is_complete = false;
};

class Closure {
 public:
  // `columns` are the chart's; the closure reads the finished ones.
  Closure(const Program& program, CountSets& count_sets, const std::vector<ChartColumn>& columns)
      : program_(program), count_sets_(count_sets), columns_(columns) {}

  // Begins the column after all columns of the chart.
  void begin();
  // Adds the item, or unites its counts with those of the item of the same place. An item that can
  // reach no open member is dropped.
  void add(const Item& item, const Derivation& how);
  // Predicts and completes until no item is new and no counts grow (I2).
  void close();

  // The column's items.
  const std::vector<ChartItem>& agenda() const { return agenda_; }
  // Scans and completions that derived a known item again; the same derivation may occur several
  // times, the item's own one among them.
  std::vector<ChartWay>& again() { return again_; }

 private:
  static constexpr std::string_view kWork = "reading the next byte";
  // The position of the column, which is the origin of what the column predicts.
  ContextId here() const { return ContextId(columns_.size()); }
  void visit(uint32_t index);
  void visit_any_order(const Item& item, uint32_t index);
  void call(const Item& item, const CallEdge& edge, uint32_t index);
  void predict(RuleId rule, Counts counts, uint32_t index);
  void skip(const Item& after, uint32_t index);
  void complete(const Item& item, uint32_t index);
  void complete_members(const Item& item, uint32_t index);
  // f(after, index) for each item of the finished column that waits for `goal`.
  template <class F>
  void resume(ContextId origin, RuleId goal, F f);
  void unite(uint32_t index, Counts counts);

  const Program& program_;
  CountSets& count_sets_;
  const std::vector<ChartColumn>& columns_;
  std::vector<ChartItem> agenda_;
  std::vector<ChartWay> again_;
  std::vector<uint32_t> grown_;  // agenda indices to visit again: their counts have grown
  IndexTable known_;             // agenda indices by place: I1
};

}  // namespace xg2lab
