// Read: close and visit (one item), then the operations: call and predict, complete, resume.
#include "parse/closure.h"

#include <span>

#include "support/budget.h"

namespace xg2lab {

void Closure::begin() {
  agenda_.clear();
  again_.clear();
  grown_.clear();
  known_.clear();
}

void Closure::add(const Item& item, const Derivation& how) {
  if (!count_sets_.is_open(item.state, item.counts)) return;
  const auto index = static_cast<uint32_t>(agenda_.size());
  const uint32_t at = known_.find_or_add(
      item.hash_of_place(), [&](uint32_t i) { return agenda_[i].item.is_same_place(item); },
      [&](uint32_t i) { return agenda_[i].item.hash_of_place(); },
      [&] {
        agenda_.push_back({item, how});
        return index;
      });
  if (at == index) return;
  // Further predictions of an item do not make a text ambiguous.
  const bool is_move = how.operation == Operation::kScan || how.operation == Operation::kComplete;
  if (is_move) again_.push_back({at, how});
  unite(at, item.counts);
}

// Unites the counts of the item at `index` with `counts`. Schedules a new visit if the larger set
// allows an operation that the smaller one did not.
void Closure::unite(uint32_t index, Counts counts) {
  Item& item = agenda_[index].item;
  const Counts before = item.counts;
  if (before == counts) return;
  item.counts = count_sets_.unite(item.state, before, counts);
  if (item.counts == before) return;
  const Repetition* repetition = program_.repetition(item.state);
  const auto allows_more = [&](auto may) {
    return (count_sets_.*may)(item.counts, *repetition) != (count_sets_.*may)(before, *repetition);
  };
  if (repetition == nullptr || allows_more(&CountSets::may_end) ||
      allows_more(&CountSets::may_go_on))
    grown_.push_back(index);
}

void Closure::close() {
  uint32_t i = 0;
  while (i < agenda_.size() || !grown_.empty()) {
    count_work(kWork);
    if (i < agenda_.size()) {
      visit(i++);
    } else {
      const uint32_t again = grown_.back();
      grown_.pop_back();
      visit(again);
    }
  }
}

void Closure::visit(uint32_t index) {
  const Item item = agenda_[index].item;
  if (program_.kind(item.state) == StateKind::kAnyOrder) return visit_any_order(item, index);
  if (const Repetition* repetition = program_.repetition(item.state)) {
    if (count_sets_.may_end(item.counts, *repetition)) complete(item, index);
    if (count_sets_.may_go_on(item.counts, *repetition)) predict(repetition->child, {}, index);
    return;
  }
  if (program_.is_accepting(item.state)) {
    if (program_.kind(item.state) == StateKind::kMember) complete_members(item, index);
    else complete(item, index);
  }
  for (const CallEdge& edge : program_.calls(item.state)) call(item, edge, index);
}

void Closure::visit_any_order(const Item& item, uint32_t index) {
  const MemberSets& sets = count_sets_.members(item.state);
  if (program_.is_accepting(item.state) && sets.may_end(item.counts.word)) complete(item, index);
  if (!sets.may_go_on(item.counts.word)) return;
  const CallEdge& edge = program_.calls(item.state).front();
  const ProgramRule& called = program_.rule(edge.rule);
  predict(edge.rule, called.members ? item.counts : Counts{}, index);
  if (called.is_nullable)  // only a separator can be nullable
    skip({edge.to, item.origin, item.goal, item.counts}, index);
}

void Closure::call(const Item& item, const CallEdge& edge, uint32_t index) {
  const Item after{edge.to, item.origin, item.goal, item.counts};
  if (!count_sets_.is_open(after.state, after.counts)) return;
  predict(edge.rule, {}, index);
  if (program_.rule(edge.rule).is_nullable) skip(after, index);
}

void Closure::predict(RuleId rule, Counts counts, uint32_t index) {
  add({program_.rule(rule).start(), here(), rule, counts},
      {Operation::kPredict, here().value, index, kNoItem});
}

// Moves the caller at `index` over an empty match of the called rule.
void Closure::skip(const Item& after, uint32_t index) {
  add(after, {Operation::kComplete, here().value, index, kNoItem});
}

// An item that began in this column has consumed nothing: its callers have skipped it already.
void Closure::complete(const Item& item, uint32_t index) {
  if (item.origin == here()) return;
  size_t n_resumed = 0;
  resume(item.origin, item.goal, [&](const Item& after, uint32_t source) {
    ++n_resumed;
    add(after, {Operation::kComplete, item.origin.value, source, index});
  });
  count_work(kWork, n_resumed);
}

// Completes an item at the end of one or more members. Each waiting item that may still match such
// a member is resumed with the member added to its sets.
void Closure::complete_members(const Item& item, uint32_t index) {
  if (item.origin == here()) return;
  const std::span<const uint32_t> ended = program_.members_ended(item.state);
  resume(item.origin, item.goal, [&](const Item& waiting, uint32_t source) {
    for (uint32_t member : ended) {
      const MemberSets& sets = count_sets_.members(waiting.state);
      if (!sets.may_match(waiting.counts.word, member)) continue;
      Item after = waiting;
      after.counts = count_sets_.with(waiting.state, waiting.counts, member);
      add(after, {Operation::kComplete, item.origin.value, source, index});
    }
  });
}

// The start item's origin is column 0, too. Column 0 contains items that wait for the root only if
// a rule of the grammar calls the root.
template <class F>
void Closure::resume(ContextId origin, RuleId goal, F f) {
  const ChartColumn& column = columns_[origin.index()];
  for (const uint32_t i : column.callers) {
    const Item& item = column.items[i].item;
    if (const Repetition* repetition = program_.repetition(item.state)) {
      if (repetition->child != goal || !count_sets_.may_go_on(item.counts, *repetition)) continue;
      const StateId after = program_.calls(item.state).front().to;
      f(Item{after, item.origin, item.goal, count_sets_.next(item.counts, *repetition)}, i);
      continue;
    }
    if (program_.kind(item.state) == StateKind::kAnyOrder &&
        !count_sets_.members(item.state).may_go_on(item.counts.word))
      continue;
    for (const CallEdge& edge : program_.calls(item.state)) {
      if (edge.rule == goal) f(Item{edge.to, item.origin, item.goal, item.counts}, i);
    }
  }
}

}  // namespace xg2lab
