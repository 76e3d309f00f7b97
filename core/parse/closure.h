// One Earley column in the making: scan into it, then predict and complete until nothing is new.
//
// Twin:  xg2lab/reference/earley.py
// Tests: tests/differential/test_engine_vs_twin.py, tests/unit/parse_closure.cc
//
// IDEA
//   The three operations of Earley's algorithm, written once for the two places that need them: the
//   decode step's ColumnTable (no observer: its calls vanish) and the Chart that views draw
//   (records where each item came from).
//
//     predict   an item before a rule edge enters the rule: (start, self, rule)
//     scan      an item before a byte steps over it (see the callers)
//     complete  an item in an accepting state wakes those that wait for its goal in its origin
//
//   Rules that match the empty string are completed at the moment they are predicted (Aycock and
//   Horspool 2002): whoever waits for one also steps over it. So an item whose origin is this very
//   column need never be completed, and a column never reads its own unfinished list of waiting
//   items.
//
//   A call at a rule's end is a tail call: those who wait for the caller wait for the called rule
//   (Columns::returns). So right recursion nests nothing, and what a called rule predicts is there
//   once, not once for each that called it.
//
//   A pushdown automaton (Columns::has_stacks) does the same three things. It only keeps those who
//   wait apart: a predicted rule's origin is a frame in which its one caller waits, where Earley's
//   is the column in which all do.
//
//   An item of an any-order rule calls its member rule (or the separator) while some member may be
//   matched. In the member rule an item lives while a member that it can reach may be matched;
//   complete, it adds that member to the sets of who waits.
//
//   An item of a counted rule calls its child while it may go on and is complete while it may end.
//   Its counts may grow after it was looked at; then it is looked at again, and who waits for its
//   child is listed last of all.
//
// INVARIANTS
//   I1  no place occurs twice (items that differ in their counts are united)
//   I2  after close(): the agenda is closed under predict and complete
//
// COST      O(items of the column x items they wake); no allocation once warm, but for new frames.
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

// Why an item is in a column: what an observer is told.
enum class Operation : uint8_t { kStart, kPredict, kScan, kComplete };

struct NullObserver {
  // `source`: agenda index (predict, empty completion) or caller's own index of the item that led
  // here.
  void added(Operation, uint32_t /*source_column*/, uint32_t /*source*/, uint32_t /*child*/) {}
  // The item at agenda index `at` was known already, and is made in this way too; some ways are
  // told twice.
  void again(uint32_t /*at*/, Operation, uint32_t /*source_column*/, uint32_t /*source*/,
             uint32_t /*child*/) {}
};

// The item of a counted rule that may go on, once its child is complete one time more.
inline Item after_child(const Program& program, CountSets& count_sets, const Item& item) {
  const StateId after = program.calls(item.state).front().to;
  return {after, item.origin, item.goal,
          count_sets.next(item.counts, *program.repetition(item.state))};
}

// Columns: `void wake(ColumnId origin, RuleId goal, F f)` calls f(after, source_index) for each
// item that waits for `goal` in a finished column; it may leave out what it has told since
// `begin_waking()`. `returns(ended)`: the items that `ended`, complete, would wake; none if they
// are not to be listed in its place. Where has_stacks(), `ColumnId push(waiting)` makes its frame
// and `void allow_stacks(n)` throws if that many are too many.
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

  // Wakes everyone who waits for `goal` in the finished column `origin`.
  void complete(ColumnId origin, RuleId goal, uint32_t child) {
    if (origin == kOutside || origin == kBeyond) left_outside_ = true;
    size_t n_woken = 0;
    columns_.wake(origin, goal, [&](const Item& after, uint32_t source) {
      ++n_woken;
      add(after, Operation::kComplete, origin.value, source, child);
    });
    count_work(kWork, n_woken);
  }

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
  // Items before rule edges, in the order of discovery; may hold equal ones.
  std::vector<WaitingItem>& waiting() { return waiting_; }
  // Whether a goal with origin kOutside or kBeyond was completed here: the column is then alive
  // even if nothing in it can go on.
  bool left_outside() const { return left_outside_; }

 private:
  static constexpr std::string_view kWork = "reading the next byte";

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
    if (called.is_nullable)  // a separator
      add(after, Operation::kComplete, kSelf.value, index, kSelf.value);
  }

  // As complete(), for an item that ends members: whoever waits has matched one more, if it may.
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

  // The item at `index` may also have done `counts`. It is visited again if it can do what it
  // couldn't.
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
    // A frame was pushed with the counts of that visit; a list of who waits is made last.
    if (columns_.has_stacks() ||
        count_sets_.may_end(item.counts, repetition) != count_sets_.may_end(before, repetition) ||
        count_sets_.may_go_on(item.counts, repetition) != count_sets_.may_go_on(before, repetition))
      grown_.push_back(index);
  }

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

  // A frame for one who waits; the origin of what it waits for.
  ColumnId push(WaitingItem waiting) {
    Item& after = waiting.after;
    if (!program_.has_budgets()) after.origin = without_mark(after.origin);
    return ColumnId(columns_.push(waiting).value | kBegunHere);
  }
  // After a tail call those wait who waited for the caller, if they are few.
  ColumnId list(const WaitingItem& waiting, bool is_tail) {
    const std::span<const Item> returns =
        is_tail ? columns_.returns(waiting.after) : std::span<const Item>{};
    for (const Item& after : returns) waiting_.push_back({waiting.rule, after});
    if (returns.empty()) waiting_.push_back(waiting);
    return kSelf;
  }

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
  IndexTable known_;             // of agenda_, by place: I1
  bool left_outside_ = false;
  size_t n_stacks_ = 0;
};

}  // namespace xg2lab
