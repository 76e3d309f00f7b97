// The column table: every Earley column that a grammar's parses have met, each stored once.
//
// Twin:  xg2lab/reference/earley.py (the same meaning, columns by position)
// Tests: tests/differential/test_engine_vs_twin.py, tests/core/test_column_table.py,
//        tests/unit/parse_column_table.cc
//
// IDEA
//   Let an item's origin be not a position but the *content* of the column where its rule began.
//   Then a column determines which texts may follow: equal columns have equal futures. In
//   `[1, 2, 3` the columns after the two commas are equal. So columns are interned, and reading a
//   byte is a function from column to column, computed once and then looked up:
//
//       step(column, byte) -> column            one load when it is known
//
//   The table is a deterministic automaton that grows as texts are read. For a regular grammar the
//   automaton is a DFA, close to the minimal one. For `[[[[` the table grows by one column for each
//   bracket, as a parser's stack must. Under root ::= "[" root* "]" the columns after "[[" and
//   "[[[]" are equal. Under the ambiguous root ::= root "+" root | "a" each length of
//   text makes a new column of n items, as in any Earley parser.
//
// REPRESENTATION
//   A column consists of its scannable items, its waiting items sorted by rule, and one bit:
//   whether a goal with origin kOutside or kBeyond is complete. An origin that is the column itself
//   is stored as kSelf, so equal columns compare equal. A column's known steps are a row of
//   n_symbols words. The row is made when a second byte class is read from the column. Most columns
//   of a text under a counted rule never get a row.
//
//   After each letter of a name, the same items may follow if the name ends there. Such a column is
//   stored as a *lexer column* ("within words"): a set of places whose origins are numbered slots
//   (inner_sets.h), the origin for each slot, and the return column, which contains the items that
//   may follow the rules ending here (known_returns.h). The steps of a set of places are computed
//   once for all origins, like a lexer's. scannable() merges the items of a lexer column at the
//   first call.
//
//   With ParserKind::kPda the table is a pushdown automaton on bytes (XGrammar section 3). A
//   *stack* is an item and its frames. The item's origin is the top frame: a column in which one
//   item waits, the return address. The origin of that waiting item is the frame below. Frames are
//   interned like other columns, so the stacks of all texts form one tree, and a column is a set of
//   pointers into the tree: the paper's persistent execution stack. Earley's columns keep all
//   callers of a rule together, so the rule is parsed once; the pushdown automaton parses the rule
//   once for each stack. Left recursion would push frames forever, so the grammar must have none
//   (program/left_recursion.h).
//
//   An item that waits at the end of its own rule (a tail call) does nothing once resumed but
//   complete that rule. So the items that wait for that rule are listed in its place, if they are
//   few. Right recursion therefore makes no new column for each letter, and a called rule is
//   predicted once for all its callers. With stacks, the called rule's items take over the frame
//   and goal of their caller instead.
//
//   Under root ::= root "+" root, each column after a "+" has a longer list of waiting items than
//   the one before: the earlier list and one more item. A complete sum resumes all of them, from
//   each column in which the sum may have begun: n^3 resumptions for n^2 items. So a long list is a
//   *waiting group* that refers to the earlier group with which the list begins, and the closure of
//   one column resumes each group once.
//
//   clamped(c) replaces counts far from their bounds by representatives, in c and in all columns
//   that c refers to; of those columns only the waiting items are kept. clamped(c) and c accept the
//   same texts of fewer than `reach` bytes, because each iteration consumes at least one byte. So
//   masks are cached by clamped column, and a text that goes through many counts needs few masks.
//
//   tick(c) is the column after a token has ended in c. It differs from c only in grammars with
//   max_tokens (tick.cc).
//
// INVARIANTS
//   I1  two columns of one table differ in content; but a lexer column may have the same items as
//       a column that stores its items itself
//   I2  the origin of an item in column c is kSelf or a column made before c
//   I3  step(c, b) and step_token(c, t) depend on c, on b or the symbol of t, and on the program
//       alone
//   I4  kDead is the column without items; every other result of step() is a viable prefix's column
//   I5  clamped(clamped(c)) == clamped(c); without counted rules and max_tokens clamped(c) == c
//   I6  kPda: no origin is kSelf; a frame is a column of one waiting item and nothing else
//
// COST      known step: 3 loads. New column: O(items + log).
// THREADS   step(), at(): any thread; known steps are read without a lock (acquire loads). New
//           columns are made under mutex_. Rows and columns are published by release stores; a
//           published column does not change (column.h names the exceptions), and an entry of a
//           row changes once, from unknown to known.
// SEE ALSO  Earley 1970; Aycock and Horspool 2002 (LR(0) sets); McLean and Horspool 1996.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "parse/closure.h"
#include "parse/column.h"
#include "parse/item.h"
#include "parse/known_returns.h"
#include "parse/known_ticks.h"
#include "program/program.h"
#include "support/budget.h"
#include "support/dense_map.h"
#include "support/index_table.h"
#include "support/stable_array.h"

namespace xg2lab {

inline constexpr ColumnId kDead{2u};

enum class ParserKind : uint8_t { kEarley, kPda };

struct ParseOptions {
  ParserKind parser = ParserKind::kEarley;
  bool tail_calls = true;
  // kPda: a column with more stacks raises a LimitError.
  size_t max_stacks = 100'000;
  // The work allowed for one mask or for one step (support/budget.h).
  WorkLimits limits = kUsualMaskLimits;
};

class ColumnTable {
 public:
  // `max_bytes` is the memory size from which is_full() returns true.
  ColumnTable(std::shared_ptr<const Program> program, size_t max_bytes,
              const ParseOptions& options = {});

  // The column before the first byte of a text that must match the root.
  ColumnId start() const { return start_; }
  // A column of one item in `state` with origin kOutside. mask/walk/classify.h starts its walk of
  // the vocabulary here.
  ColumnId outside_item(StateId state);
  // The same for a state of a counted rule's child. Here the counted rule has origin kOutside; when
  // this child completes, the counted rule will have done `counts` iterations.
  ColumnId outside_item(StateId state, RuleId counted, const CountIntervals& counts);
  // The column that contains all items which may follow `rule`, in any context of the program.
  ColumnId beyond(RuleId rule);
  // The column that contains the scannable items of both columns.
  ColumnId join(ColumnId a, ColumnId b);

  // See above. `reach` is one more than the number of bytes of the longest text that will be tried;
  // every call must pass the same value.
  ColumnId clamped(ColumnId column, uint32_t reach);

  // The column after a token that ends in `column`; `column` itself if no rule has max_tokens.
  // tick_and_join() does the same for a token that both its bytes and token edges accept.
  ColumnId tick(ColumnId column) {
    return program_->has_budgets() && column > kDead ? ticked(column).column : column;
  }
  ColumnId tick_and_join(ColumnId by_bytes, ColumnId by_edges);

  // The column after `byte`; kDead if no item survives. HOT: called once for each byte of accepted
  // text and once for each node of a trie walk. Evidence: benchmarks/record/long_document.csv.
  ColumnId step(ColumnId from, uint8_t byte) {
    const Column& column = columns_[from.index()];
    const uint32_t byte_class = program_->byte_class(byte);
    std::atomic<uint32_t>* row = column.row.load(std::memory_order_acquire);
    if (row != nullptr) {
      const uint32_t known = row[byte_class].load(std::memory_order_acquire);
      if (known != kUnknown) return ColumnId(known);
    } else {
      const uint64_t first = column.first_step.load(std::memory_order_acquire);
      if (static_cast<uint32_t>(first) == byte_class + 1)
        return ColumnId(static_cast<uint32_t>(first >> 32));
    }
    return step_slowly(from, byte);
  }
  // The result of step() if it is known already.
  std::optional<ColumnId> known_step(ColumnId from, uint8_t byte) const {
    const uint32_t known = known_step(columns_[from.index()], program_->byte_class(byte));
    return known == kUnknown ? std::nullopt : std::optional(ColumnId(known));
  }
  // Whether step() would return another column than kDead. Makes no column if nothing is counted.
  bool reads(ColumnId from, uint8_t byte) {
    const Column& column = columns_[from.index()];
    const std::atomic<uint32_t>* row = column.row.load(std::memory_order_acquire);
    if (row == nullptr || program_->has_counts()) return reads_slowly(from, byte);
    return row[program_->byte_class(byte)].load(std::memory_order_acquire) != kDead.value;
  }
  // Lexer column: whether some place inside its rules survives the byte. Other columns: true.
  bool goes_on_within(ColumnId from, uint8_t byte);
  // The column after token edges have scanned one whole token; kDead if no token edge accepts the
  // token. The token's bytes lead to another column. If both are alive, join() unites them.
  ColumnId step_token(ColumnId from, TokenId token);

  const Column& at(ColumnId id) const { return columns_[id.index()]; }
  std::span<const Item> scannable(ColumnId id) const;
  const Program& program() const { return *program_; }
  const ParseOptions& options() const { return options_; }
  CountIntervals counts(const Item& item) const { return count_sets_.intervals(item.counts); }
  const CountSets& count_sets() const { return count_sets_; }
  // Whether the table is larger than max_bytes. The table still works, but its owner should move to
  // a fresh one (adopt).
  bool is_full() const { return memory_size_bytes() > max_bytes_; }
  size_t memory_size_bytes() const { return n_bytes_.load(std::memory_order_relaxed); }
  size_t n_columns() const;
  NeededColumns needed_by(std::span<const ColumnId> columns) const;
  // Copies `columns` from another table of the same program. `needed` is other.needed_by(columns).
  // The result has the new id of each column, in the same order.
  std::vector<ColumnId> adopt(const ColumnTable& other, const NeededColumns& needed,
                              std::span<const ColumnId> columns);
  // f(after, index into waiting) for each item that waits for `goal`.
  template <class F>
  void for_each_waiting(ColumnId origin, RuleId goal, F f) const;

  // Asserts I1, I2, I4 and I6 for all columns; O(their items x log). For tests.
  void check_invariants() const;

  // The item with an origin that is valid outside of its column: kSelf is replaced by `column`, and
  // the mark kBegunHere is removed.
  Item seen_from_outside(Item item, ColumnId column) const;

  // ---- The interface that Closure uses ----
  // allow_stacks() throws a LimitError above max_stacks.
  bool has_stacks() const { return options_.parser == ParserKind::kPda; }
  ColumnId push(const WaitingItem& waiting) { return intern({}, {&waiting, 1}, false); }
  void allow_stacks(size_t n_stacks) const;
  void begin_waking() { ++waking_; }
  // The items that completing `ended`, an item at the end of its rule, resumes. Empty if `ended`
  // must be listed itself: the items are many, or the rule began in this column or outside. The
  // span is valid until the next call.
  std::span<const Item> returns(const Item& ended);
  template <class F>
  void wake(ColumnId origin, RuleId goal, F f);

 private:
  static constexpr uint32_t kUnknown = UINT32_MAX;
  friend class Ticker;  // tick.cc
  Ticked ticked(ColumnId column);
  ColumnId step_slowly(ColumnId from, uint8_t byte);
  bool reads_slowly(ColumnId from, uint8_t byte);
  ColumnId step_locked(ColumnId from, uint8_t byte);
  std::optional<ColumnId> step_within_words(ColumnId from, uint8_t byte);
  std::optional<ColumnId> as_first_step(Column& column, uint8_t byte_class);
  std::optional<ColumnId> step_within_rules(ColumnId from, uint8_t byte);
  ColumnId within_words(std::span<const Item> items, ColumnId rest);
  ColumnId intern_words(const WithinWords& words);
  void insert(uint64_t hash, ColumnId id);
  // Brings the share of the hash tables in n_bytes_ up to date.
  void charge_tables();
  void let_all_callers_wait();  // in kBeyond; called before any item has that origin
  std::span<const Item> items_of(const Column& column) const;
  ColumnId returned_to(const KnownReturns::Calls& calls);
  // Closes the scanned items, interns the column, and publishes it as the step by `symbol`.
  ColumnId finish_step(Column& column, uint32_t symbol);
  // Interns the column that `closure_` contains. If its scannable items equal those of `before`,
  // both columns share them in memory.
  ColumnId intern_closure(const Column* before = nullptr);
  ColumnId intern(std::span<const Item> scannable, std::span<const WaitingItem> waiting,
                  bool is_complete, const Column* before = nullptr);
  // The call that an item belongs to: the rule `goal`, entered at `origin`.
  struct Call {
    ColumnId origin;
    RuleId goal;
    uint64_t key() const { return (static_cast<uint64_t>(origin.value) << 32) | goal.value; }
  };
  std::span<const WaitingItem> waiting_for(ColumnId origin, RuleId goal) const;
  std::vector<WaitingItem> callers_of(Call call) const;
  void clamp_callers(std::span<const Item> scannable, std::span<const WaitingItem> waiting,
                     uint32_t reach);
  Item clamped(Item item, uint32_t reach);
  ColumnId intern_clamped(std::span<const Item> scannable, std::vector<WaitingItem> waiting,
                          bool is_complete, uint32_t reach);
  void unite_places(std::vector<WaitingItem>& waiting);
  void make_groups(ColumnId id, Column& column);
  uint32_t first_group_of(ColumnId column, RuleId rule) const;
  bool is_group_of(uint32_t group, ColumnId column, RuleId rule) const;
  bool is_long_list(ColumnId column, RuleId rule) const;
  void find_shared(WaitingGroup& group) const;
  // The column after `symbol`; kUnknown if it is not known.
  static uint32_t known_step(const Column& column, uint32_t symbol);
  void publish_step(Column& column, uint32_t symbol, ColumnId to);
  void make_row(Column& column);
  void spread(Column& column, uint8_t byte, ColumnId to);
  template <class T>
  std::span<const T> keep(std::span<const T> items) const;
  // Asserts the parts of I1, I2, I4 and I6 that concern a single column. Under mutex_.
  void check_column(ColumnId id) const;

  const std::shared_ptr<const Program> program_;
  const size_t max_bytes_;
  const ParseOptions options_;
  ColumnId start_;

  mutable std::mutex mutex_;  // guards the fields below; published columns are exempt
  StableArray<Column> columns_;
  IndexTable by_content_;  // of columns_
  mutable std::deque<std::vector<Item>> item_blocks_;
  mutable std::deque<std::vector<WaitingItem>> waiting_blocks_;
  mutable std::deque<std::vector<ColumnId>> origin_blocks_;
  std::deque<WordColumn> word_columns_;
  std::deque<std::unique_ptr<std::atomic<uint32_t>[]>> row_blocks_;
  size_t row_block_used_ = 0;
  mutable std::atomic<size_t> n_bytes_{0};
  StableArray<WaitingGroup> groups_;
  uint32_t waking_ = 0;
  CountSets count_sets_;
  size_t n_table_bytes_ = 0;              // the share in n_bytes_; see charge_tables()
  DenseMap<uint64_t, uint32_t> callers_;  // by Call::key: column of clamped waiting items
  KnownTicks ticks_;
  KnownReturns returns_;
  InnerSets inner_sets_;
  NullObserver observer_;
  Closure<ColumnTable> closure_;
  std::vector<Item> scannable_scratch_;
  std::vector<Item> returns_scratch_;
};

inline std::span<const WaitingItem> ColumnTable::waiting_for(ColumnId origin, RuleId goal) const {
  const std::span<const WaitingItem> waiting = columns_[origin.index()].waiting;
  // Not ranges::equal_range: clang 14 can't compile libstdc++'s subrange.
  return {std::ranges::lower_bound(waiting, goal, {}, &WaitingItem::rule),
          std::ranges::upper_bound(waiting, goal, {}, &WaitingItem::rule)};
}

template <class F>
void ColumnTable::for_each_waiting(ColumnId origin, RuleId goal, F f) const {
  uint32_t i = 0;
  for (const WaitingItem& item : waiting_for(origin, goal))
    f(seen_from_outside(item.after, origin), i++);
}

template <class F>
void ColumnTable::wake(ColumnId origin, RuleId goal, F f) {
  const Column& column = columns_[origin.index()];
  // Each accepting state of a member rule ends other members, so each of them must resume the
  // waiting items: no group may be skipped.
  const bool has_groups =
      column.first_group != WaitingGroup::kNone && !program_->rule(goal).members;
  if (!has_groups) return for_each_waiting(origin, goal, f);
  for (uint32_t g = first_group_of(origin, goal); is_group_of(g, origin, goal); ++g) {
    for (uint32_t at = g; at != WaitingGroup::kNone && groups_[at].woken != waking_;) {
      WaitingGroup& told = groups_[at];
      told.woken = waking_;
      const std::span<const WaitingItem> waiting = columns_[told.column.index()].waiting;
      for (uint32_t i = told.begin + told.n_shared; i < told.end; ++i)
        f(seen_from_outside(waiting[i].after, told.column), i);
      at = told.shared;
    }
  }
}

inline Item ColumnTable::seen_from_outside(Item item, ColumnId column) const {
  item.origin = item.origin == kSelf ? column : without_mark(item.origin);
  return item;
}

}  // namespace xg2lab
