// Read: visit_all() and visit() (one place), then list_last_waits().
#include "parse/row_closure.h"

#include <string_view>

#include "support/budget.h"
#include "support/hash.h"

namespace xg2lab {
namespace {

constexpr std::string_view kClosing = "reading the next byte";

}  // namespace

void RowClosure::clear() {
  agenda_.clear();
  known_.clear();
  grown_.clear();
  n_visited_ = 0;
  waits_.clear();
  ended_.clear();
  called_.clear();
}

void RowClosure::add(const Place& place) {
  if (!count_sets_.is_open(place.state, place.counts)) return;
  const auto hash = [](const Place& of) {
    return hash_mix((uint64_t{of.state.value} << 32) | of.goal.value);
  };
  const auto index = static_cast<uint32_t>(agenda_.size());
  const uint32_t at = known_.find_or_add(
      hash(place), [&](uint32_t i) { return agenda_[i].is_same_but_counts(place); },
      [&](uint32_t i) { return hash(agenda_[i]); },
      [&] {
        agenda_.push_back(place);
        return index;
      });
  if (at == index) return;
  const Counts all = united(place.state, agenda_[at].counts, place.counts);
  if (all == agenda_[at].counts) return;
  agenda_[at].counts = all;
  grown_.push_back(at);
}

void RowClosure::visit_all(Begun begun) {
  while (n_visited_ < agenda_.size() || !grown_.empty()) {
    count_work(kClosing);
    if (n_visited_ < agenda_.size()) {
      visit(static_cast<uint32_t>(n_visited_++), begun);
    } else {
      const uint32_t again = grown_.back();
      grown_.pop_back();
      visit(again, begun);
    }
  }
}

void RowClosure::list_last_waits() {
  if (!program_.has_repetitions() && !program_.has_any_order()) return;
  for (const Place& place : agenda_) {
    if (program_.kind(place.state) == StateKind::kAnyOrder) {
      if (!count_sets_.members(place.state).may_go_on(place.counts.word)) continue;
      const CallEdge& edge = program_.calls(place.state).front();
      waits_.push_back({edge.rule, {edge.to, place.goal, place.counts}});
    }
    const Repetition* repetition = program_.repetition(place.state);
    if (repetition == nullptr || !count_sets_.may_go_on(place.counts, *repetition)) continue;
    const StateId after = program_.calls(place.state).front().to;
    waits_.push_back(
        {repetition->child, {after, place.goal, count_sets_.next(place.counts, *repetition)}});
  }
}

// A place that began here has consumed nothing: the rules that it may end were stepped over as
// nullable rules, so no goal is complete.
void RowClosure::end(const Place& place, Begun begun) {
  if (begun == Begun::kHere) return;
  if (program_.kind(place.state) != StateKind::kMember) return ended_.push_back({place.goal});
  for (const uint32_t member : program_.members_ended(place.state))
    ended_.push_back({place.goal, member});
}

// If the places began in an earlier context, the called rule begins elsewhere: in the context that
// is made for the column, or in a frame. Else both begin in the same one.
void RowClosure::call(RuleId rule, Counts counts, Begun begun) {
  const bool is_shared = begun == Begun::kHere && calls_ == Calls::kShared;
  if (is_shared) add({program_.rule(rule).start(), rule, counts});
  else called_.push_back({rule, counts});
}

void RowClosure::visit(uint32_t index, Begun begun) {
  const Place place = agenda_[index];
  if (program_.kind(place.state) == StateKind::kAnyOrder) return visit_any_order(place, begun);
  if (const Repetition* repetition = program_.repetition(place.state)) {
    if (count_sets_.may_end(place.counts, *repetition)) end(place, begun);
    if (count_sets_.may_go_on(place.counts, *repetition)) call(repetition->child, {}, begun);
    return;
  }
  if (program_.is_accepting(place.state)) end(place, begun);
  for (const CallEdge& edge : program_.calls(place.state)) {
    const ProgramRule& rule = program_.rule(edge.rule);
    const Place after{edge.to, place.goal, place.counts};
    if (!count_sets_.is_open(after.state, after.counts)) continue;
    if (edge.is_tail && calls_ == Calls::kStacks) {
      add({rule.start(), place.goal});
    } else {
      waits_.push_back({edge.rule, after});
      call(edge.rule, {}, begun);
    }
    if (rule.is_nullable) add(after);
  }
}

void RowClosure::visit_any_order(const Place& place, Begun begun) {
  const MemberSets& sets = count_sets_.members(place.state);
  if (program_.is_accepting(place.state) && sets.may_end(place.counts.word)) end(place, begun);
  if (!sets.may_go_on(place.counts.word)) return;
  const CallEdge& edge = program_.calls(place.state).front();
  const ProgramRule& called = program_.rule(edge.rule);
  call(edge.rule, called.members ? place.counts : Counts{}, begun);
  if (called.is_nullable)  // only a separator can be nullable
    add({edge.to, place.goal, place.counts});
}

}  // namespace xg2lab
