// The column table: every Earley column that a grammar's parses have met, each stored once.
//
// Twin:  xg2lab/reference/earley.py (the same meaning, columns by position)
// Tests: tests/differential/test_engine_vs_twin.py, tests/core/test_column_table.py,
//        tests/unit/parse_column_table.cc
//
// IDEA
//   An Earley column says all that matters of the text so far, if an item's origin is not a
//   position but the *content* of the column where its rule began. Two places of a text with equal
//   columns have equal futures: after each comma of `[1, 2, 3` stands the same column. So columns
//   are interned, and reading a byte is a function from column to column, computed once and then
//   looked up:
//
//       step(column, byte) -> column            one load when it is known
//
//   The table is a deterministic automaton that grows as texts are read; for a regular grammar it
//   is the grammar's minimal-ish DFA, for `[[[[` it grows by one column a bracket, as any parser
//   must. Under root ::= "[" root* "]" the columns after "[[" and "[[[]" are one. Under the
//   ambiguous root ::= root "+" root | "a" a column of n items is met once for each length, as in
//   any Earley parser.
//
// REPRESENTATION
//   A column is its scannable items, its waiting items sorted by rule, and one bit (is a goal with
//   origin kOutside or kBeyond complete?). Origins that are the column itself are kSelf, so equal
//   columns compare equal. Known steps are rows of n_symbols words, made when a column is left by a
//   second byte class: most of a counted text's are not.
//
//   After each letter of a name the same may come, should the name end there. Such columns are
//   *within words*: a set of places with origins for its slots (inner_sets.h), and the column of
//   what may come then (known_returns.h). Their steps are a lexer's, found once for all origins;
//   such a column's items are put together if somebody asks.
//
//   With ParserKind::kPda the table is a pushdown automaton on bytes instead (XGrammar section 3).
//   A *stack* is an item and its frames: the origin of an item is a column in which one item waits,
//   the return address; its origin is the frame below. Frames are interned like any column, so all
//   stacks of all times are one tree, and a column, a set of stack tops, is one pointer into it:
//   what the paper calls the persistent execution stack. Earley's columns keep all callers of a
//   rule in one place, so that it is parsed once; here once for each stack. And left recursion
//   would push for ever (program/left_recursion.h).
//
//   Who waits at its own rule's end, for a tail call, only passes on that a rule is complete:
//   those who wait for its rule are listed in its place, if they are few. So right recursion makes
//   no column a letter, and what is called is predicted once, whoever called it. With stacks the
//   called rule's items take over their caller's frame and goal instead.
//
//   Under root ::= root "+" root the columns at the ends of sums wait in ever longer lists, each
//   the one before and itself, and a finished sum wakes them all, from each place where it may have
//   begun: n^3 calls for n^2 items. So a long list is a *waiting group* that knows which earlier
//   group it begins with, and a group is woken once a column.
//
//   clamped(c) is the column in which counts that are far from their bounds are replaced by
//   representatives, in c and in all columns that c refers to; of these only those who wait are
//   left. It takes the same texts of fewer than `reach` bytes: an iteration consumes a byte at
//   least. So masks are kept by clamped columns, however many counts a text goes through. tick(c)
//   is the column after a token has ended in c, where rules have max_tokens: see tick.cc.
//
// INVARIANTS
//   I1  two columns of one table differ in content; a column within words may equal a column that
//       has its items itself
//   I2  the origin of an item in column c is kSelf or a column made before c
//   I3  step(c, b) and step_token(c, t) depend on c, on b or the symbol of t, and on the program
//       alone
//   I4  kDead is a column without items; every other column is a viable prefix
//   I5  clamped(clamped(c)) == clamped(c); without counted rules and max_tokens clamped(c) == c
//   I6  kPda: kSelf is in no column; a frame is a column of one waiting item and nothing else
//
// COST      known step: 3 loads. New column: O(items + log).
// THREADS   step(), at(): any thread, lock-free while steps are known (acquire loads); new columns
//           are made under mutex_. rows and columns are published by release stores and never
//           change.
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
  // kPda: more stacks in a column are a LimitError.
  size_t max_stacks = 100'000;
  // Of one mask, or of one step; see support/budget.h.
  WorkLimits limits = kUsualMaskLimits;
};

class ColumnTable {
 public:
  // `max_bytes` bounds what columns and rows may take; see is_full().
  ColumnTable(std::shared_ptr<const Program> program, size_t max_bytes,
              const ParseOptions& options = {});

  // The column before the first byte of a text that must match the root.
  ColumnId start() const { return start_; }
  // A column of one item that stands in `state` and whose goal is asked from outside: what
  // mask/classify walks the vocabulary from.
  ColumnId outside_item(StateId state);
  // The same for a state of a repetition's child; asked from outside is the counted rule, which
  // after this child will have done `counts`.
  ColumnId outside_item(StateId state, RuleId counted, const CountIntervals& counts);
  // Where a parse may go on, in any context the program has, once `rule` is complete.
  ColumnId beyond(RuleId rule);
  // All items of both.
  ColumnId join(ColumnId a, ColumnId b);

  // See above. `reach`: one more than the bytes of the longest text to be tried, in every call.
  ColumnId clamped(ColumnId column, uint32_t reach);

  // The column after a token that ends in `column`; without max_tokens the same. Then for the two
  // columns in which a token may end, by its bytes and by token edges.
  ColumnId tick(ColumnId column) {
    return program_->has_budgets() && column > kDead ? ticked(column).column : column;
  }
  ColumnId tick_and_join(ColumnId by_bytes, ColumnId by_edges);

  // The column after `byte`; kDead if nothing survives. HOT, once a byte of accepted text and once
  // a node of a trie walk. Evidence: benchmarks/record/long_document.csv.
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
  // As step(); nothing if it is not known yet.
  std::optional<ColumnId> known_step(ColumnId from, uint8_t byte) const {
    const uint32_t known = known_step(columns_[from.index()], program_->byte_class(byte));
    return known == kUnknown ? std::nullopt : std::optional(ColumnId(known));
  }
  // Whether step() is alive.
  bool reads(ColumnId from, uint8_t byte) {
    const Column& column = columns_[from.index()];
    const std::atomic<uint32_t>* row = column.row.load(std::memory_order_acquire);
    if (row == nullptr || program_->has_counts()) return reads_slowly(from, byte);
    return row[program_->byte_class(byte)].load(std::memory_order_acquire) != kDead.value;
  }
  // Within words: whether the places go on by the byte. Else: true.
  bool goes_on_within(ColumnId from, uint8_t byte);
  // The column after one whole token, as token edges take it; kDead if none does. What the token's
  // bytes lead to is another column: where both live, join() has them both.
  ColumnId step_token(ColumnId from, TokenId token);

  const Column& at(ColumnId id) const { return columns_[id.index()]; }
  std::span<const Item> scannable(ColumnId id) const;
  const Program& program() const { return *program_; }
  const ParseOptions& options() const { return options_; }
  CountIntervals counts(const Item& item) const { return count_sets_.intervals(item.counts); }
  const CountSets& count_sets() const { return count_sets_; }
  // Whether the byte budget is used up: still right, but the owner should move to a fresh table.
  bool is_full() const { return memory_size_bytes() > max_bytes_; }
  size_t memory_size_bytes() const { return n_bytes_.load(std::memory_order_relaxed); }
  size_t n_columns() const;
  NeededColumns needed_by(std::span<const ColumnId> columns) const;
  // Copies `columns` from another table of the same program, of which they need those; result by
  // position.
  std::vector<ColumnId> adopt(const ColumnTable& other, const NeededColumns& needed,
                              std::span<const ColumnId> columns);
  // f(after, index into waiting) for each item that waits for `goal`.
  template <class F>
  void for_each_waiting(ColumnId origin, RuleId goal, F f) const;

  // Asserts I1, I2, I4 and I6 of all columns; O(their items x log). For tests.
  void check_invariants() const;

  // An item of a column with its origin named: kSelf is the column.
  Item seen_from_outside(Item item, ColumnId column) const;

  // For Closure. allow_stacks throws a LimitError beyond max_stacks.
  bool has_stacks() const { return options_.parser == ParserKind::kPda; }
  ColumnId push(const WaitingItem& waiting) { return intern({}, {&waiting, 1}, false); }
  void allow_stacks(size_t n_stacks) const;
  void begin_waking() { ++waking_; }
  // Those who go on when the rule of `ended`, an item at its end, is complete. None if that is
  // asked then: they are many, or its rule began in this column or outside. Valid until the next
  // call.
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
  // Makes n_bytes_ right for the tables of this and its parts.
  void charge_tables();
  void let_all_callers_wait();  // in kBeyond, which no column names before
  std::span<const Item> items_of(const Column& column) const;
  ColumnId returned_to(const KnownReturns::Calls& calls);
  // Makes what was scanned the column after `symbol`.
  ColumnId finish_step(Column& column, uint32_t symbol);
  // Makes a column of what `closure_` holds, or finds the equal one. Items that `before` has too
  // are kept once.
  ColumnId intern_closure(const Column* before = nullptr);
  ColumnId intern(std::span<const Item> scannable, std::span<const WaitingItem> waiting,
                  bool is_complete, const Column* before = nullptr);
  // What an item's origin and goal say.
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
  // What step() finds; kUnknown if it is not known.
  static uint32_t known_step(const Column& column, uint32_t symbol);
  void publish_step(Column& column, uint32_t symbol, ColumnId to);
  void make_row(Column& column);
  void spread(Column& column, uint8_t byte, ColumnId to);
  template <class T>
  std::span<const T> keep(std::span<const T> items) const;
  // Asserts what I2, I4 and I6 say of one column. Under mutex_.
  void check_column(ColumnId id) const;

  const std::shared_ptr<const Program> program_;
  const size_t max_bytes_;
  const ParseOptions options_;
  ColumnId start_;

  mutable std::mutex mutex_;  // guards everything below but published columns and rows
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
  size_t n_table_bytes_ = 0;              // those that n_bytes_ has in it: see charge_tables()
  DenseMap<uint64_t, uint32_t> callers_;  // by Call::key: a clamped column of those who wait
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
  // Each state of a member rule ends members of its own: who waits is told each time.
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
