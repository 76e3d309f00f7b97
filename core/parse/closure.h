// One Earley column in the making: scan into it, then predict and complete until nothing is new.
//
// Twin:  xg2lab/reference/earley.py
// Tests: tests/differential/test_engine_vs_twin.py, tests/unit/parse_closure.cc
//
// IDEA
//   The three operations of Earley's algorithm, written once for two users. ColumnTable, for the
//   decode step, has no observer: the observer's calls are compiled away. Chart, for views, records
//   the derivation of each item.
//
//     predict   an item before a rule edge adds the rule's start item (start, self, rule)
//     scan      an item before a byte moves over the byte (done by the callers of add())
//     complete  an item in an accepting state resumes the items that wait for its goal in its
//               origin: each of them moves over the rule
//
//   A rule that matches the empty string is completed when it is predicted (Aycock and Horspool
//   2002): an item that waits for a nullable rule also moves over it at once. So an item whose
//   origin is the column itself never needs completion, and the closure never reads the unfinished
//   list of the column's own waiting items.
//
//   A call at the end of a rule is a tail call: the items that wait for the caller are listed as
//   waiting for the called rule (Columns::returns). So right recursion nests no origins, and a
//   called rule is predicted once, not once for each caller.
//
//   A pushdown automaton (Columns::has_stacks) uses the same three operations. The difference: in
//   Earley's algorithm the origin of a predicted rule is the column, in which all callers wait. In
//   the pushdown automaton the origin is a frame, in which one caller waits.
//
//   An item of an any-order rule calls its member rule (or the separator) while some member may
//   still be matched. An item of the member rule survives while some member that it can reach may
//   still be matched. Completing the item adds the member to the sets of the waiting items.
//
//   An item of a counted rule calls its child while its counts allow another iteration, and is
//   complete while its counts allow the end. The counts may grow after the item was visited; the
//   item is then visited again. The items that wait for a child are listed after the agenda is
//   closed, when their counts are final.
//
// INVARIANTS
//   I1  no place occurs twice (items that differ in their counts are united)
//   I2  after close(): the agenda is closed under predict and complete
//
// COST      O(items of the column x items that they resume). Once warm, only new frames allocate.
// SEE ALSO  Earley 1970; Aycock and Horspool 2002; Leo 1991 (here: tail calls, program.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "parse/item.h"
#include "program/program.h"
#include "support/budget.h"
#include "support/index_table.h"

namespace xg2lab {

// The operation that added an item, as the observer is told.
enum class Operation : uint8_t { kStart, kPredict, kScan, kComplete };

struct NullObserver {
  // A new item was appended to the agenda. `source` identifies the item that it was made from: by
  // its agenda index (predict, completion of an empty match) or by the caller's own index.
  void added(Operation, uint32_t /*source_column*/, uint32_t /*source*/, uint32_t /*child*/) {}
  // The item at agenda index `at` was derived once more. The same derivation may be reported
  // several times.
  void again(uint32_t /*at*/, Operation, uint32_t /*source_column*/, uint32_t /*source*/,
             uint32_t /*child*/) {}
};

// The item that `item`, of a counted rule with an iteration left, becomes when its child completes.
inline Item after_child(const Program& program, CountSets& count_sets, const Item& item) {
  const StateId after = program.calls(item.state).front().to;
  return {after, item.origin, item.goal,
          count_sets.next(item.counts, *program.repetition(item.state))};
}

// The interface of `Columns`:
//   wake(origin, goal, f)  calls f(after, source_index) for each item that waits for `goal` in the
//                          finished column `origin`. Items that were already passed to f since
//                          begin_waking() may be skipped.
//   returns(ended)         the items that completing `ended` would resume, to be listed in its
//                          place; empty if `ended` itself is to be listed
//   push(waiting)          if has_stacks(): makes the frame of `waiting` and returns it
//   allow_stacks(n)        if has_stacks(): throws if n stacks are more than the limit
template <class Columns, class Observer = NullObserver>
class Closure {
 public:
  Closure(const Program& program, Columns& columns, CountSets& count_sets, Observer& observer,
          bool tail_calls)
      : program_(program),
        columns_(columns),
        count_sets_(count_sets),
        observer_(observer),
        tail_calls_(tail_calls) {}

  void begin() {
    agenda_.clear();
    waiting_.clear();
    grown_.clear();
    known_.clear();
    left_outside_ = false;
    n_stacks_ = 0;
    columns_.begin_waking();
  }

  // Adds the item, or unites its counts with those of the item of the same place. An item that can
  // reach no open member is dropped.
  void add(const Item& item, Operation why, uint32_t source_column, uint32_t source,
           uint32_t child) {
    if (!count_sets_.is_open(item.state, item.counts)) return;
    const auto index = static_cast<uint32_t>(agenda_.size());
    const uint32_t at = known_.find_or_add(
        item.hash_of_place(), [&](uint32_t i) { return agenda_[i].is_same_place(item); },
        [&](uint32_t i) { return agenda_[i].hash_of_place(); },
        [&] {
          agenda_.push_back(item);
          return index;
        });
    if (at != index) {
      observer_.again(at, why, source_column, source, child);
      return unite(at, item.counts);
    }
    if (columns_.has_stacks() && program_.is_scannable(item.state))
      columns_.allow_stacks(++n_stacks_);
    observer_.added(why, source_column, source, child);
  }

  // Resumes the items that wait for `goal` in the finished column `origin`.
  void complete(ColumnId origin, RuleId goal, uint32_t child) {
    if (origin == kOutside || origin == kBeyond) left_outside_ = true;
    size_t n_woken = 0;
    columns_.wake(origin, goal, [&](const Item& after, uint32_t source) {
      ++n_woken;
      add(after, Operation::kComplete, origin.value, source, child);
    });
    count_work(kWork, n_woken);
  }

  // Predicts and completes until no item is new and no counts grow (I2).
  void close() {
    uint32_t i = 0;
    do {
      for (; i < agenda_.size(); ++i) visit(i);
      count_work(kWork, agenda_.size());
      for (size_t n = grown_.size(); n > 0; --n) {
        const uint32_t again = grown_.back();
        grown_.pop_back();
        visit(again);
        count_work(kWork);
      }
    } while (i < agenda_.size() || !grown_.empty());
    const bool lists_last = program_.has_repetitions() || program_.has_any_order();
    if (lists_last && !columns_.has_stacks()) wait_for_children();
  }

  const std::vector<Item>& agenda() const { return agenda_; }
  // The column's waiting items, in the order of discovery; duplicates are possible.
  std::vector<WaitingItem>& waiting() { return waiting_; }
  // Whether a goal with origin kOutside or kBeyond was completed. Such a column is alive even if it
  // contains no item that scans.
  bool left_outside() const { return left_outside_; }

 private:
  static constexpr std::string_view kWork = "reading the next byte";

  // Predicts from the item and completes it. An item with the mark kBegunHere has consumed nothing
  // and is not completed: its callers have moved over the nullable rule already.
  void visit(uint32_t index) {
    const Item item = agenda_[index];
    if (program_.kind(item.state) == StateKind::kAnyOrder) return visit_any_order(item, index);
    if (const Repetition* repetition = program_.repetition(item.state)) {
      if (count_sets_.may_end(item.counts, *repetition) && !is_begun_here(item.origin))
        complete(item.origin, item.goal, index);
      if (count_sets_.may_go_on(item.counts, *repetition)) {
        const ColumnId origin =
            columns_.has_stacks() ? push(waiting_for_child(item, *repetition)) : kSelf;
        add({program_.rule(repetition->child).start(), origin, repetition->child},
            Operation::kPredict, kSelf.value, index, kSelf.value);
      }
      return;
    }
    if (program_.is_accepting(item.state) && !is_begun_here(item.origin)) {
      if (program_.kind(item.state) == StateKind::kMember) complete_members(item, index);
      else complete(item.origin, item.goal, index);
    }
    for (const CallEdge& edge : program_.calls(item.state)) call(item, edge, index);
  }

  void visit_any_order(const Item& item, uint32_t index) {
    const MemberSets& sets = count_sets_.members(item.state);
    if (program_.is_accepting(item.state) && sets.may_end(item.counts.word) &&
        !is_begun_here(item.origin))
      complete(item.origin, item.goal, index);
    if (!sets.may_go_on(item.counts.word)) return;
    const CallEdge& edge = program_.calls(item.state).front();
    const ProgramRule& called = program_.rule(edge.rule);
    const Item after{edge.to, item.origin, item.goal, item.counts};
    const ColumnId origin = columns_.has_stacks() ? push({edge.rule, after}) : kSelf;
    const Counts counts = called.members ? item.counts : Counts{};
    add({called.start(), origin, edge.rule, counts}, Operation::kPredict, kSelf.value, index,
        kSelf.value);
    if (called.is_nullable)  // only a separator can be nullable
      add(after, Operation::kComplete, kSelf.value, index, kSelf.value);
  }

  // Completes an item at the end of one or more members. Each waiting item that may still match
  // such a member is resumed with the member added to its sets.
  void complete_members(const Item& item, uint32_t child) {
    if (item.origin == kOutside || item.origin == kBeyond) left_outside_ = true;
    const std::span<const uint32_t> ended = program_.members_ended(item.state);
    columns_.wake(item.origin, item.goal, [&](const Item& waiting, uint32_t source) {
      for (uint32_t member : ended) {
        const MemberSets& sets = count_sets_.members(waiting.state);
        if (!sets.may_match(waiting.counts.word, member)) continue;
        Item after = waiting;
        after.counts = count_sets_.with(waiting.state, waiting.counts, member);
        add(after, Operation::kComplete, item.origin.value, source, child);
      }
    });
  }

  // Unites the counts of the item at `index` with `counts`. Schedules a new visit if the larger set
  // allows an operation that the smaller one did not.
  void unite(uint32_t index, Counts counts) {
    Item& item = agenda_[index];
    if (item.counts == counts) return;
    if (program_.kind(item.state) != StateKind::kCounted) {
      const Counts all = count_sets_.unite(item.state, item.counts, counts);
      if (all == item.counts) return;
      agenda_[index].counts = all;
      return grown_.push_back(index);
    }
    const Repetition& repetition = *program_.repetition(item.state);
    const Counts before = item.counts;
    item.counts = count_sets_.unite(before, counts, repetition);
    if (item.counts == before) return;
    // With stacks, the item's frame holds the counts of the earlier visit, so every change needs a
    // new visit. Without stacks, wait_for_children() lists the waiting item with its final counts.
    if (columns_.has_stacks() ||
        count_sets_.may_end(item.counts, repetition) != count_sets_.may_end(before, repetition) ||
        count_sets_.may_go_on(item.counts, repetition) != count_sets_.may_go_on(before, repetition))
      grown_.push_back(index);
  }

  // Lists the waiting items of counted and any-order rules, whose counts are final now.
  void wait_for_children() {
    for (const Item& item : agenda_) {
      if (program_.kind(item.state) == StateKind::kAnyOrder) {
        if (!count_sets_.members(item.state).may_go_on(item.counts.word)) continue;
        const CallEdge& edge = program_.calls(item.state).front();
        waiting_.push_back({edge.rule, {edge.to, item.origin, item.goal, item.counts}});
      }
      const Repetition* repetition = program_.repetition(item.state);
      if (repetition == nullptr || !count_sets_.may_go_on(item.counts, *repetition)) continue;
      waiting_.push_back(waiting_for_child(item, *repetition));
    }
  }

  WaitingItem waiting_for_child(const Item& item, const Repetition& repetition) {
    return {repetition.child, after_child(program_, count_sets_, item)};
  }

  // Makes the frame of a waiting item. The marked frame is the origin of the rule that the item
  // waits for.
  ColumnId push(WaitingItem waiting) {
    Item& after = waiting.after;
    if (!program_.has_budgets()) after.origin = without_mark(after.origin);
    return ColumnId(columns_.push(waiting).value | kBegunHere);
  }
  // Lists a waiting item. For a tail call the items that wait for the caller are listed in its
  // place, if they are few. Returns the origin of the called rule.
  ColumnId list(const WaitingItem& waiting, bool is_tail) {
    const std::span<const Item> returns =
        is_tail ? columns_.returns(waiting.after) : std::span<const Item>{};
    for (const Item& after : returns) waiting_.push_back({waiting.rule, after});
    if (returns.empty()) waiting_.push_back(waiting);
    return kSelf;
  }

  // Predicts the called rule. After a tail call of a parser with stacks, the called rule's item
  // takes over the caller's origin and goal; every other call makes a waiting item. A nullable rule
  // is completed at once.
  void call(const Item& item, const CallEdge& edge, uint32_t index) {
    const ProgramRule& rule = program_.rule(edge.rule);
    const Item after{edge.to, item.origin, item.goal, item.counts};
    if (!count_sets_.is_open(after.state, after.counts)) return;
    const bool is_tail = edge.is_tail && tail_calls_;
    if (columns_.has_stacks() && is_tail) {
      add({rule.start(), item.origin, item.goal}, Operation::kPredict, kSelf.value, index,
          kSelf.value);
    } else {
      const WaitingItem waiting{edge.rule, after};
      const ColumnId origin = columns_.has_stacks() ? push(waiting) : list(waiting, is_tail);
      add({rule.start(), origin, edge.rule}, Operation::kPredict, kSelf.value, index, kSelf.value);
    }
    if (rule.is_nullable) add(after, Operation::kComplete, kSelf.value, index, kSelf.value);
  }

  const Program& program_;
  Columns& columns_;
  CountSets& count_sets_;
  Observer& observer_;
  const bool tail_calls_;
  std::vector<Item> agenda_;
  std::vector<WaitingItem> waiting_;
  std::vector<uint32_t> grown_;  // agenda indices to visit again
  IndexTable known_;             // agenda indices by place: I1
  bool left_outside_ = false;
  size_t n_stacks_ = 0;
};

}  // namespace xg2lab
