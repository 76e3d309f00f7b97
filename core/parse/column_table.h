// The column table: every Earley column that a grammar's parses have met, each stored once.
//
// Twin:  xg2lab/reference/rows.py; xg2lab/reference/earley.py has the same meaning by position
// Tests: tests/differential/test_engine_vs_twin.py, tests/core/test_column_table.py,
//        tests/unit/parse_column_table.cc
//
// IDEA
//   Let an item's origin be not a position but the *content* of the place where its rule began: the
//   set of the items that wait there, its context (contexts.h). Then a column determines which
//   texts may follow: equal columns have equal futures. In `[1, 2, 3` the columns after the two
//   commas are equal. So columns are interned, and reading a byte is a function from column to
//   column, computed once and then looked up:
//
//       step(column, byte) -> column            one load when it is known
//
//   The table is a deterministic automaton that grows as texts are read. For a regular grammar the
//   automaton is a DFA, close to the minimal one. For `[[[[` the table grows by one column for each
//   bracket, as a parser's stack must. Under root ::= "[" root* "]" the columns after "[[" and
//   "[[[]" are equal. Under the ambiguous root ::= root "+" root | "a" each length of text makes a
//   new column of n parts, as in any Earley parser.
//
// REPRESENTATION
//   A column is a list of parts, and one bit: whether a goal with origin kOutside or kBeyond is
//   complete. A part is a row of items (rows.h) and the origin that they share. The items that wait
//   are not in the column: they are in the context that is the origin of the rules which they call.
//
//   A step moves each part's row over the byte. Goals that are complete then resume the items that
//   wait in the parts' origins (completions.h). The rules that all these items call are predicted
//   as one row, whose origin is the context of the items. If the rows of all parts but one stay
//   within their rules, and the one completes goals only, its origin and its goals determine the
//   rest of the column: after each letter of a name the same items may follow, if the name ends
//   there (returned_).
//
//   A column's known steps are an array of n_symbols words. The array is made when a second byte
//   class is read from the column. Most columns of a text under a counted rule never get one.
//
//   With ParserKind::kPda the table is a pushdown automaton on bytes (XGrammar section 3). The
//   difference is in prediction: each waiting item gets a context of its own, a frame. A *stack* is
//   an item and its frames, and a column is a set of pointers into the tree of frames: the paper's
//   persistent execution stack. Earley's columns keep all callers of a rule together, so the rule
//   is parsed once; the pushdown automaton parses the rule once for each stack. Left recursion
//   would push frames forever, so the grammar must have none (program/left_recursion.h).
//
//   With ParserKind::kOperators the frames are the nodes of the call tree (program/call_tree.h),
//   each with the counts of the repetitions around it: there is no recursion, so no text makes
//   frames without end. What a row leads to is then kept for each frame, because no later caller
//   can add to it (returned_), and frames that differ in one set of counts are united
//   (unite_frames). A position of 0041-operators.md is an item of such a column.
//
//   An item that waits at the end of its own rule (a tail call) does nothing once resumed but
//   complete that rule. So the items that wait for that rule are put in its place, if they are few.
//   Right recursion therefore makes no new context for each letter. With stacks, the called rule's
//   items take over the frame and goal of their caller instead (rows.h).
//
//   clamped(c) replaces counts far from their bounds by representatives, in c and in all contexts
//   that c refers to. clamped(c) and c accept the same texts of fewer than `reach` bytes, because
//   each iteration consumes at least one byte. So masks are cached by clamped column, and a text
//   that goes through many counts needs few masks.
//
//   tick(c) is the column after a token has ended in c. It differs from c only in grammars with
//   max_tokens (tick.cc).
//
// INVARIANTS
//   I1  two columns of one table differ in content
//   I2  the parts of a column have different origins; without max_tokens none is marked kBegunHere
//   I3  step(c, b) and step_token(c, t) depend on c, on b or the symbol of t, and on the program
//       alone
//   I4  kDead is the column without items; every other result of step() is a viable prefix's column
//   I5  clamped(clamped(c)) == clamped(c); without counted rules and max_tokens clamped(c) == c
//
// COST      known step: 3 loads. New column: a look-up for each part and each part of the contexts
//           whose goals are complete. New row: its items.
// THREADS   step(), at(): any thread; known steps are read without a lock (acquire loads). New
//           columns are made under mutex_. Arrays of steps and columns are published by release
//           stores; a published column does not change, and an entry of an array changes once, from
//           unknown to known.
// SEE ALSO  Earley 1970; Aycock and Horspool 2002 (LR(0) sets); McLean and Horspool 1996.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "parse/column.h"
#include "parse/completions.h"
#include "parse/contexts.h"
#include "parse/item.h"
#include "parse/known_ticks.h"
#include "parse/rows.h"
#include "program/program.h"
#include "support/budget.h"
#include "support/dense_map.h"
#include "support/index_table.h"
#include "support/interned.h"
#include "support/stable_array.h"

namespace xg2lab {

inline constexpr ColumnId kDead{0u};

enum class ParserKind : uint8_t { kEarley, kPda, kOperators };

struct ParseOptions {
  ParserKind parser = ParserKind::kEarley;
  bool tail_calls = true;
  // kPda, kOperators: a column with more stacks raises a LimitError.
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
  // The column that contains the items of both columns.
  ColumnId join(ColumnId a, ColumnId b);

  // See above. `reach` is one more than the number of bytes of the longest text that will be tried;
  // every call must pass the same value.
  ColumnId clamped(ColumnId column, uint32_t reach);

  // The column after a token that ends in `column`; `column` itself if no rule has max_tokens.
  // tick_and_join() does the same for a token that both its bytes and token edges accept.
  ColumnId tick(ColumnId column) {
    return program_->has_budgets() && column != kDead ? ticked(column).column : column;
  }
  ColumnId tick_and_join(ColumnId by_bytes, ColumnId by_edges);

  // The column after `byte`; kDead if no item survives. HOT: called once for each byte of accepted
  // text and once for each node of a trie walk. Evidence: benchmarks/record/long_document.csv.
  ColumnId step(ColumnId from, uint8_t byte) {
    const uint32_t byte_class = program_->byte_class(byte);
    const KnownSteps steps = columns_[from.index()].steps.load(std::memory_order_acquire);
    if (const KnownSteps::Row* row = steps.row()) {
      const uint32_t known = row[byte_class].load(std::memory_order_acquire);
      if (known != kUnknown) return ColumnId(known);
    } else if (steps.symbol() == byte_class && steps.is_one()) {
      return steps.to();
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
    const KnownSteps steps = columns_[from.index()].steps.load(std::memory_order_acquire);
    const KnownSteps::Row* row = steps.row();
    if (row == nullptr || program_->has_counts()) return reads_slowly(from, byte);
    return row[program_->byte_class(byte)].load(std::memory_order_acquire) != kDead.value;
  }
  // The column after token edges have scanned one whole token; kDead if no token edge accepts the
  // token. The token's bytes lead to another column. If both are alive, join() unites them.
  ColumnId step_token(ColumnId from, TokenId token);

  // Throws ContentsNeeded if an item of the column is before a content that the program lacks.
  void need_contents(ColumnId column) const;

  const Column& at(ColumnId id) const { return columns_[id.index()]; }
  // The column's items by origin: sorted, and each origin occurs once.
  std::span<const Part> parts(ColumnId id) const {
    const std::span<const Part> list = part_lists_[id.value];
    return at(id).is_complete ? list.first(list.size() - 1) : list;
  }
  // f(item) for each item of the column, by origin.
  template <class F>
  void for_each_item(ColumnId id, F f) const {
    for (const Part& part : parts(id)) {
      for (const auto& [state, goal, counts] : rows_.places(part.scan))
        f(Item{state, part.origin, goal, counts});
    }
  }
  std::vector<Item> items(ColumnId id) const;
  // f(item) for each item that waits for `goal` in the context. The item is in the form that it
  // takes once the goal is complete.
  template <class F>
  void for_each_waiting(ContextId context, RuleId goal, F f) const {
    contexts_.for_each_waiting(context, goal, [&](const Item& item) {
      f(item);
      return true;
    });
  }
  const Rows& rows() const { return rows_; }
  const Contexts& contexts() const { return contexts_; }
  const Program& program() const { return *program_; }
  const ParseOptions& options() const { return options_; }
  // Whether a context is a frame: one waiting item.
  bool has_stacks() const { return options_.parser != ParserKind::kEarley; }
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

  // Asserts I1, I2 and I4 for all columns, and the invariants of rows and contexts; O(their parts x
  // log). For tests.
  void check_invariants() const;

 private:
  static constexpr uint32_t kUnknown = UINT32_MAX;
  friend class Ticker;  // tick.cc
  Ticked ticked(ColumnId column);
  ColumnId step_slowly(ColumnId from, uint8_t byte);
  bool reads_slowly(ColumnId from, uint8_t byte);
  ColumnId step_locked(ColumnId from, uint8_t byte);
  std::optional<ColumnId> as_first_step(ColumnId id, uint8_t byte_class);
  // The column to which the steps of the parts lead; step_of(scan) is the step of one row.
  template <class StepOf>
  ColumnId after_steps(ColumnId from, StepOf step_of);
  // Adds to parts_ those that a row of kOperators leads to from the frame, if the frame counts
  // nothing: whatever the text, they are the same. False if it may count.
  bool add_known_return(ContextId frame, Rows::Id row);
  // The parts of the column that completing the goals of one row leads to, as a list.
  Interned<Part>::Id returned_to(ContextId origin, Rows::Id row);
  // Completes and predicts: parts_ are then those of the column that completions_ leads to.
  void close();
  void predict(Rows::Id called);
  void push_frames();
  bool has_tails();
  ContextId context_of(Rows::Id own);
  ContextId context_with_returns(Rows::Id own);
  // The items that completing `ended`, an item at the end of its rule, resumes. Empty if `ended`
  // itself must wait: the items are many, or the rule began outside.
  std::vector<Item> returns(const Item& ended) const;
  void allow_stacks(size_t n_stacks) const;

  // Interns a column or a context of these items; unites items of one place.
  ColumnId intern_items(std::vector<Item> items, bool is_complete);
  ContextId intern_waiting(std::vector<WaitingItem> items);
  // Sorts parts_ and unites those of one origin.
  void unite_parts();
  // kOperators: unites parts whose frames differ in one set of counts alone.
  void unite_frames();
  // Interns parts_, which are then a column's.
  ColumnId intern();
  ColumnId intern(bool is_complete) {
    if (is_complete) parts_.push_back(kComplete);
    return intern();
  }
  void charge_tables();

  // The call that an item belongs to: the rule `goal`, entered at `origin`.
  struct Call {
    ContextId origin;
    RuleId goal;
    uint64_t key() const { return (static_cast<uint64_t>(origin.value) << 32) | goal.value; }
  };
  // The column after `symbol`; kUnknown if it is not known.
  static uint32_t known_step(const Column& column, uint32_t symbol);
  void publish_step(ColumnId id, uint32_t symbol, ColumnId to);
  KnownSteps::Row* make_row(ColumnId id);
  void spread(ColumnId id, uint8_t byte, ColumnId to);
  // Asserts the parts of I1, I2 and I4 that concern a single column. Under mutex_.
  void check_column(ColumnId id) const;

  const std::shared_ptr<const Program> program_;
  const size_t max_bytes_;
  const ParseOptions options_;
  ColumnId start_;

  mutable std::mutex mutex_;  // guards the fields below; published columns are exempt
  mutable CountSets count_sets_;
  Rows rows_;
  Contexts contexts_;
  StableArray<Column> columns_;
  // The number of a column is that of its list of parts; kComplete comes last in a complete one.
  static constexpr Part kComplete{kSelf, 0};
  Interned<Part> part_lists_;
  DenseMap<NumberPair, Interned<Part>::Id> returned_;  // by origin and row: see returned_to()
  std::vector<std::unique_ptr<KnownSteps::Row[]>> row_blocks_;
  size_t row_block_used_ = 0;
  std::atomic<size_t> n_bytes_{0};
  size_t n_table_bytes_ = 0;  // the share in n_bytes_; see charge_tables()
  size_t n_charged_columns_ = 0;
  KnownTicks ticks_;
  // Scratch memory of the column that is being made.
  Completions completions_;
  std::vector<Part> parts_;
  std::vector<Part> within_;  // the parts that stay within their rules
  std::vector<Part> known_;
  // The rows that complete goals, wait or call, with their origins.
  std::vector<std::pair<ContextId, Rows::Id>> returning_;
  std::vector<Contexts::Part> waits_;
};

}  // namespace xg2lab
