// The Earley chart by position, with the derivation of every item, for views and explanations.
//
// Twin:  xg2lab/reference/earley.py
// Tests: tests/core/test_inspect.py, tests/unit/parse_closure.cc
//
// IDEA
//   The column table of the decode step stores no positions, but a reader needs them. The chart
//   runs Earley's operations item by item (closure.h) over the same program. It has one column for
//   each byte read, and origins are positions. The closure records for each item the operation and
//   the items that made it. It is the chart of the textbooks.
//
//   An item may be derived in several ways: from two different source items, or from one source
//   item and two matches of the rule that it waited for. The text is then ambiguous. The first
//   derivation found is stored in the item itself (ChartItem). The number of other derivations is
//   stored beside the column, with the first kMostWays of them in ascending order. Only scans and
//   completions count: further predictions of an item do not make a text ambiguous. An item that
//   derives itself by an empty match does not count either.
//
//   A position is a number of bytes, also after a token that a token edge scanned as a whole. The
//   chart then gets one column for each byte of the token; the columns before the last are empty
//   unless the bytes are also read as text. The token edge scans from the column before the token
//   into the last column.
//
// EXAMPLE   root ::= Token(5) "b", where token 5 is "<s>", after "<s>b": columns 0, 3 and 4 have
//           items, columns 1 and 2 have none.
//
// INVARIANTS
//   I1  item.origin <= j for every item in column j
//   I2  no item occurs twice in a column
//   I3  a text is a viable prefix in the chart if and only if it is one in the table
//   I4  the last column is not empty
//   I5  the other derivations of an item differ from the item's own and from each other
//
// COST      push: O(items x calls in their origins), and a record for each. For inspection only;
//           the decode step never uses a chart.
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

class Chart {
 public:
  explicit Chart(std::shared_ptr<const Program> program);
  // The chart of a text that must match the rule `root`.
  Chart(std::shared_ptr<const Program> program, RuleId root);

  // Appends the column after `byte`. Returns false and changes nothing if no item survives.
  bool push(uint8_t byte);
  // Appends one column for each byte of a token (`bytes` must not be empty if a token edge scans
  // the token). The last column contains the items that token edges scan and, if `is_text`, the
  // items that the bytes lead to. Returns false and changes nothing if there are neither.
  bool push_token(TokenId token, std::string_view bytes, bool is_text);
  // Whether some item of the last column is before a token edge that accepts the token.
  bool takes(TokenId token) const;
  // Pushes bytes until one fails; returns how many were pushed.
  size_t push_all(std::string_view bytes);
  void pop(size_t n_bytes) { columns_.resize(columns_.size() - n_bytes); }

  size_t n_bytes() const { return columns_.size() - 1; }
  const std::vector<ChartItem>& column(size_t j) const { return columns_[j].items; }
  // The items of column `j` that have several derivations, in the order of the items.
  const std::vector<ItemWays>& ways(size_t j) const { return columns_[j].ways; }
  const std::vector<ChartItem>& last() const { return columns_.back().items; }
  bool is_complete() const { return columns_.back().is_complete; }
  const Program& program() const { return *program_; }
  std::shared_ptr<const Program> shared_program() const { return program_; }
  RuleId root() const { return root_; }
  // The numbers of iterations that the match of a counted rule's item may have done.
  CountIntervals counts(const Item& item) const { return count_sets_.intervals(item.counts); }
  const CountSets& count_sets() const { return count_sets_; }

  // Asserts I1, I2, I4 and I5 of all columns; O(items x log). For tests.
  void check_invariants() const;

 private:
  void scan(uint8_t byte);  // from the last column's items
  void scan(size_t from, TokenId token);
  // Runs the closure and appends the column. Returns false and appends none if it has no items.
  bool finish_column();
  // Asserts I1, I2 and I5 for column `j`.
  void check_column(size_t j) const;
  // Groups the repeated derivations by item, without duplicates and without the item's own one.
  static std::vector<ItemWays> other_ways(std::vector<ChartWay>& again,
                                          const std::vector<ChartItem>& items, uint32_t position);

  std::shared_ptr<const Program> program_;
  RuleId root_;
  std::vector<ChartColumn> columns_;
  CountSets count_sets_;
  Closure closure_;
};

}  // namespace xg2lab
