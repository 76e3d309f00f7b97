// Read: close and visit (build one row), then the operations that make rows: find_step, predicted,
// returned, returned_here. The sets of follow() are separate.
#include "parse/rows.h"

#include <algorithm>
#include <utility>

#include "parse/first_follow.h"
#include "support/budget.h"
#include "support/error.h"
#include "support/sort_unique.h"

namespace xg2lab {
namespace {

constexpr std::string_view kWork = "reading the next byte";

void add_range(Rows::Bytes& bytes, ByteRange range) {
  static const Rows::Bytes all = ~Rows::Bytes();
  bytes |= (all << range.lo) & (all >> (255u - range.hi));
}

}  // namespace

Rows::Rows(const Program& program, CountSets& count_sets, Calls calls)
    : program_(program), count_sets_(count_sets), calls_(calls) {}

// ---- Lists: sorted, and united where they differ in their counts alone ----

template <class T>
void Rows::sort_and_unite(std::vector<T>& values) {
  if (values.size() < 2) return;
  sort_unique(values);
  if (!program_.has_counts()) return;
  const auto unite_into = [this](T& kept, const T& other) {
    if constexpr (std::is_same_v<T, Place>) {
      kept.counts = united_counts(kept.state, kept.counts, other.counts);
    } else if constexpr (std::is_same_v<T, Wait>) {
      kept.after.counts = united_counts(kept.after.state, kept.after.counts, other.after.counts);
    } else {
      kept.counts = united_counts(program_.rule(kept.rule).start(), kept.counts, other.counts);
    }
  };
  size_t n_kept = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (n_kept > 0 && values[n_kept - 1].is_same_but_counts(values[i]))
      unite_into(values[n_kept - 1], values[i]);
    else values[n_kept++] = values[i];
  }
  values.resize(n_kept);
}

Rows::Id Rows::scan_of(std::vector<Place>& places) {
  if (places.empty()) return 0;
  sort_and_unite(places);
  return scans_.of(places);
}

Rows::Id Rows::waits_of(std::vector<Wait>& waits) {
  if (waits.empty()) return 0;
  sort_and_unite(waits);
  return waits_.of(waits);
}

Rows::Id Rows::goals_of(std::vector<Ended>& goals) {
  if (goals.empty()) return 0;
  if (goals.size() > 1) sort_unique(goals);
  return goals_.of(goals);
}

std::span<const Wait> Rows::waits_for(Id id, RuleId rule) const {
  const std::span<const Wait> waits = waits_[id];
  const auto begin = std::ranges::lower_bound(waits, rule, {}, &Wait::rule);
  auto end = begin;
  while (end != waits.end() && end->rule == rule) ++end;
  return {begin, end};
}

bool Rows::is_tail(const Wait& wait) const {
  const StateId state = wait.after.state;
  return program_.is_accepting(state) && !program_.is_scannable(state) &&
         program_.calls(state).empty() && program_.kind(state) == StateKind::kPlain &&
         !program_.rule(program_.rule_of(state)).options;
}

const Rows::Facts& Rows::make_facts(Id waits) {
  if (waits >= facts_.size()) facts_.resize(std::max<size_t>(waits + 1, 2 * facts_.size()));
  Facts& known = facts_[waits];
  for (const Wait& wait : waits_[waits]) {
    known.has_tails = known.has_tails || is_tail(wait);
    known.has_counts = known.has_counts || wait.after.counts != Counts{};
    known.has_bounds = known.has_bounds || program_.kind(wait.after.state) == StateKind::kCounted ||
                       program_.max_tokens(wait.after.state) > 0;
  }
  known.are_known = true;
  return known;
}

Rows::Id Rows::clamped(Id waits, uint32_t reach) {
  if (!facts(waits).has_bounds) return waits;
  std::vector<Wait> clamped(waits_[waits].begin(), waits_[waits].end());
  for (auto& [rule, after] : clamped) {
    if (const Repetition* repetition = program_.repetition(after.state))
      after.counts = count_sets_.clamp(after.counts, *repetition, reach);
    else if (program_.kind(after.state) == StateKind::kPlain) after.counts = {};
  }
  return waits_of(clamped);
}

Rows::Id Rows::without_tokens(Id scan) {
  if (!program_.has_budgets()) return scan;
  std::vector<Place> places(scans_[scan].begin(), scans_[scan].end());
  for (Place& place : places) {
    if (program_.kind(place.state) == StateKind::kPlain) place.counts = {};
  }
  return scan_of(places);
}

// ---- One row ----

void Rows::Closed::clear() {
  agenda.clear();
  known.clear();
  grown.clear();
  n_visited = 0;
  waits.clear();
  ended.clear();
  called.clear();
}

// Adds the place, or unites its counts with those of the known place. A place that can reach no
// open member is dropped.
void Rows::add(const Place& place) {
  if (!count_sets_.is_open(place.state, place.counts)) return;
  std::vector<Place>& agenda = closed_.agenda;
  const auto hash = [](const Place& of) {
    return hash_mix((uint64_t{of.state.value} << 32) | of.goal.value);
  };
  const auto index = static_cast<uint32_t>(agenda.size());
  const uint32_t at = closed_.known.find_or_add(
      hash(place), [&](uint32_t i) { return agenda[i].is_same_but_counts(place); },
      [&](uint32_t i) { return hash(agenda[i]); },
      [&] {
        agenda.push_back(place);
        return index;
      });
  if (at == index) return;
  const Counts all = united_counts(place.state, agenda[at].counts, place.counts);
  if (all == agenda[at].counts) return;
  agenda[at].counts = all;
  closed_.grown.push_back(at);
}

// Predicts and steps over nullable rules until no place is new and no counts grow.
void Rows::visit_all(Begun begun) {
  while (closed_.n_visited < closed_.agenda.size() || !closed_.grown.empty()) {
    count_work(kWork);
    if (closed_.n_visited < closed_.agenda.size()) {
      visit(static_cast<uint32_t>(closed_.n_visited++), begun);
    } else {
      const uint32_t again = closed_.grown.back();
      closed_.grown.pop_back();
      visit(again, begun);
    }
  }
}

void Rows::close(Begun begun) {
  visit_all(begun);
  list_last_waits();
}

// The places of counted and any-order rules wait with their final counts.
void Rows::list_last_waits() {
  if (!program_.has_repetitions() && !program_.has_any_order()) return;
  for (const Place& place : closed_.agenda) {
    if (program_.kind(place.state) == StateKind::kAnyOrder) {
      if (!count_sets_.members(place.state).may_go_on(place.counts.word)) continue;
      const CallEdge& edge = program_.calls(place.state).front();
      closed_.waits.push_back({edge.rule, {edge.to, place.goal, place.counts}});
    }
    const Repetition* repetition = program_.repetition(place.state);
    if (repetition == nullptr || !count_sets_.may_go_on(place.counts, *repetition)) continue;
    const StateId after = program_.calls(place.state).front().to;
    closed_.waits.push_back(
        {repetition->child, {after, place.goal, count_sets_.next(place.counts, *repetition)}});
  }
}

// A place that began here has consumed nothing: the rules that it may end were stepped over as
// nullable rules, so no goal is complete.
void Rows::end(const Place& place, Begun begun) {
  if (begun == Begun::kHere) return;
  if (program_.kind(place.state) != StateKind::kMember)
    return closed_.ended.push_back({place.goal});
  for (const uint32_t member : program_.members_ended(place.state))
    closed_.ended.push_back({place.goal, member});
}

// If the places began in an earlier context, the called rule begins elsewhere: in the context that
// is made for the column, or in a frame. Else both begin in the same one.
void Rows::call(RuleId rule, Counts counts, Begun begun) {
  const bool is_shared = begun == Begun::kHere && calls_ == Calls::kShared;
  if (is_shared) add({program_.rule(rule).start(), rule, counts});
  else closed_.called.push_back({rule, counts});
}

void Rows::visit(uint32_t index, Begun begun) {
  const Place place = closed_.agenda[index];
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
      closed_.waits.push_back({edge.rule, after});
      call(edge.rule, {}, begun);
    }
    if (rule.is_nullable) add(after);
  }
}

void Rows::visit_any_order(const Place& place, Begun begun) {
  const MemberSets& sets = count_sets_.members(place.state);
  if (program_.is_accepting(place.state) && sets.may_end(place.counts.word)) end(place, begun);
  if (!sets.may_go_on(place.counts.word)) return;
  const CallEdge& edge = program_.calls(place.state).front();
  const ProgramRule& called = program_.rule(edge.rule);
  call(edge.rule, called.members ? place.counts : Counts{}, begun);
  if (called.is_nullable)  // only a separator can be nullable
    add({edge.to, place.goal, place.counts});
}

Rows::Row Rows::keep() {
  next_.clear();
  for (const Place& place : closed_.agenda) {
    if (program_.is_scannable(place.state)) next_.push_back(place);
  }
  Row row;
  row.scan = scan_of(next_);
  row.waits = waits_of(closed_.waits);
  row.ended = goals_of(closed_.ended);
  if (!closed_.called.empty()) {
    sort_and_unite(closed_.called);
    row.called = called_.of(closed_.called);
  }
  return row;
}

// ---- The operations that make rows ----

const Rows::Bytes& Rows::bytes(Id scan) {
  if (scan >= bytes_.size()) bytes_.resize(std::max<size_t>(scan + 1, 2 * bytes_.size()));
  if (bytes_[scan]) return *bytes_[scan];
  Bytes found;
  for (const Place& place : scans_[scan]) {
    for (const TerminalEdge& edge : program_.terminals(place.state)) add_range(found, edge.range);
  }
  return bytes_[scan].emplace(found);
}

bool Rows::reads(Id scan, uint8_t byte) const {
  return std::ranges::any_of(scans_[scan], [&](const Place& place) {
    return std::ranges::any_of(program_.terminals(place.state),
                               [&](const TerminalEdge& edge) { return edge.range.contains(byte); });
  });
}

void Rows::add_classes(Id scan, Classes& classes) const {
  for (const Place& place : scans_[scan]) {
    for (const TerminalEdge& edge : program_.terminals(place.state))
      classes.add_range(program_.byte_class(edge.range.lo), program_.byte_class(edge.range.hi));
  }
}

void Rows::keep_alike(Id scan, uint8_t byte, Classes& alike) const {
  for (const Place& place : scans_[scan]) {
    const std::span<const TerminalEdge> edges = program_.terminals(place.state);
    std::optional<StateId> target;
    for (const TerminalEdge& edge : edges) {
      if (!edge.range.contains(byte)) continue;
      if (target && *target != edge.to) return alike.clear();  // no class is like a fork
      target = edge.to;
    }
    Classes same;
    Classes others;
    for (const TerminalEdge& edge : edges) {
      Classes& of = edge.to == target ? same : others;
      of.add_range(program_.byte_class(edge.range.lo), program_.byte_class(edge.range.hi));
    }
    if (target) alike &= same;
    alike -= others;
  }
}

void Rows::keep_step(Id scan, uint32_t byte_class, const Step& step) {
  if (scan >= first_steps_.size())
    first_steps_.resize(std::max<size_t>(scan + 1, 2 * first_steps_.size()));
  FirstStep& first = first_steps_[scan];
  if (first.byte_class == UINT32_MAX) first = {byte_class, step};
  else more_steps_.add_absent({scan, byte_class}, step);
}

Rows::Step Rows::find_step(Id scan, uint8_t byte) {
  const Step step = made_step(scan, byte);
  keep_step(scan, program_.byte_class(byte), step);
  return step;
}

Rows::Step Rows::made_step(Id scan, uint8_t byte) {
  closed_.clear();
  if (stay_within(scan, byte)) {
    const Id next = scan_of(next_);
    return {next, closed_.ended.empty() ? 0 : id_of({0, 0, goals_of(closed_.ended), 0})};
  }
  closed_.ended.clear();
  for (const auto& [state, goal, counts] : scans_[scan]) {
    for (const TerminalEdge& edge : program_.terminals(state)) {
      if (edge.range.lo > byte) break;
      if (edge.range.contains(byte)) add({edge.to, goal, counts});
    }
  }
  return step_of_moved();
}

// Moves the places over the byte into next_ and closed_.ended, if none of them is before a call
// then: so nothing needs to be closed. False if one is.
bool Rows::stay_within(Id scan, uint8_t byte) {
  next_.clear();
  for (const auto& [state, goal, counts] : scans_[scan]) {
    for (const TerminalEdge& edge : program_.terminals(state)) {
      if (edge.range.lo > byte) break;
      if (!edge.range.contains(byte)) continue;
      if (!program_.calls(edge.to).empty()) return false;
      if (!count_sets_.is_open(edge.to, counts)) continue;
      const Place moved{edge.to, goal, counts};
      if (program_.is_scannable(edge.to)) next_.push_back(moved);
      if (program_.is_accepting(edge.to)) end(moved, Begun::kEarlier);
    }
  }
  return true;
}

Rows::Step Rows::step_token(Id scan, TokenId token) {
  closed_.clear();
  for (const auto& [state, goal, counts] : scans_[scan]) {
    if (program_.is_before_token(state) && program_.tokens(state).holds(token))
      add({Program::after_token(state), goal, counts});
  }
  return step_of_moved();
}

Rows::Step Rows::step_of_moved() {
  close(Begun::kEarlier);
  Row row = keep();
  const Id next = std::exchange(row.scan, 0);  // I2
  return {next, id_of(row)};
}

Rows::Row Rows::start() {
  closed_.clear();
  add({program_.rule(program_.root()).start(), program_.root()});
  close(Begun::kEarlier);
  return keep();
}

Rows::Row Rows::predicted(Id called) {
  if (called == 0) return {};
  if (const uint32_t* known = predicted_.find(called, 0)) return predicted_rows_[*known];
  closed_.clear();
  for (const auto& [rule, counts] : called_[called])
    add({program_.rule(rule).start(), rule, counts});
  close(Begun::kHere);
  predicted_rows_.push_back(keep());
  predicted_.add(called, 0, static_cast<uint32_t>(predicted_rows_.size() - 1));
  return predicted_rows_.back();
}

Rows::Row Rows::predicted(Called called) {
  if (const uint32_t* known = pushed_.find(called.rule.value, called.counts.word))
    return predicted_rows_[*known];
  closed_.clear();
  add({program_.rule(called.rule).start(), called.rule, called.counts});
  close(Begun::kHere);
  predicted_rows_.push_back(keep());
  pushed_.add(called.rule.value, called.counts.word,
              static_cast<uint32_t>(predicted_rows_.size() - 1));
  return predicted_rows_.back();
}

// Adds the places that completing the goal resumes among `waits`.
void Rows::resume(Id waits, Ended goal) {
  for (const Wait& wait : waits_for(waits, goal.goal)) {
    Place after = wait.after;
    if (goal.member != Ended::kNoMember) {
      // A place that may still match the member is resumed with the member added to its sets.
      const MemberSets& sets = count_sets_.members(after.state);
      if (!sets.may_match(after.counts.word, goal.member)) continue;
      after.counts = count_sets_.with(after.state, after.counts, goal.member);
    }
    add(after);
  }
}

Rows::Row Rows::returned(Id waits, Id goals) {
  const bool is_kept = !has_counts(waits);
  if (is_kept) {
    if (const uint32_t* known = returned_.find(waits, goals)) return returned_rows_[*known];
  }
  closed_.clear();
  for (const Ended& goal : goals_[goals]) resume(waits, goal);
  close(Begun::kEarlier);
  const Row row = keep();
  if (is_kept) {
    returned_rows_.push_back(row);
    returned_.add(waits, goals, static_cast<uint32_t>(returned_rows_.size() - 1));
  }
  return row;
}

Rows::Return Rows::returned_here(Id waits, Id goals) {
  const bool is_kept = !has_counts(waits);
  if (is_kept) {
    if (const uint32_t* known = returned_here_.find(waits, goals)) return returns_here_[*known];
  }
  closed_.clear();
  seen_goals_.clear();
  std::vector<Ended>& all = agenda_of_goals_;
  all.clear();
  const auto find = [&](const Ended& goal) {
    const uint64_t key = (uint64_t{goal.goal.value} << 32) | goal.member;
    if (seen_goals_.add(key, 0).is_new) all.push_back(goal);
  };
  for (const Ended& goal : goals_[goals]) find(goal);
  for (size_t i = 0; i < all.size();) {
    for (; i < all.size(); ++i) resume(waits, all[i]);
    visit_all(Begun::kEarlier);
    for (const Ended& goal : closed_.ended) find(goal);
    closed_.ended.clear();
  }
  list_last_waits();
  const Row row = keep();
  const Return found{row, goals_of(all)};
  if (is_kept) {
    returns_here_.push_back(found);
    returned_here_.add(waits, goals, static_cast<uint32_t>(returns_here_.size() - 1));
  }
  return found;
}

// ---- Unions ----

template <class T>
Rows::Id Rows::united(Interned<T>& of, PairMap& known, Id a, Id b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  if (const uint32_t* both = known.find(a, b)) return *both;
  std::vector<T> both(of[a].begin(), of[a].end());
  both.insert(both.end(), of[b].begin(), of[b].end());
  if constexpr (std::is_same_v<T, Ended>) sort_unique(both);
  else sort_and_unite(both);
  return known.add(a, b, of.of(both));
}

Rows::Id Rows::united_scans(Id a, Id b) { return united(scans_, united_scans_, a, b); }
Rows::Id Rows::united_waits(Id a, Id b) { return united(waits_, united_waits_, a, b); }
Rows::Id Rows::united_goals(Id a, Id b) { return united(goals_, united_goals_, a, b); }
Rows::Id Rows::united_calls(Id a, Id b) { return united(called_, united_calls_, a, b); }

Rows::Row Rows::united(const Row& a, const Row& b) {
  return {united_scans(a.scan, b.scan), united_waits(a.waits, b.waits),
          united_goals(a.ended, b.ended), united_calls(a.called, b.called)};
}

// ---- FOLLOW: the bytes that may come next ----

void Rows::find_follow() {
  FirstFollow<Bytes> found(program_);
  for (uint32_t s = 0; s < program_.n_states(); ++s) {
    for (const TerminalEdge& edge : program_.terminals(StateId(s)))
      add_range(found.first[s], edge.range);
  }
  found.settle();
  first_ = std::move(found.first);
  follow_ = std::move(found.follow);
}

const Rows::Bytes& Rows::follow(Id id) {
  if (id < follow_of_.size() && follow_of_[id]) return *follow_of_[id];
  if (follow_.empty()) find_follow();
  while (follow_of_.size() <= id) follow_of_.append();
  const Row of = row(id);
  Bytes found = bytes(of.scan);
  for (const Called& called : called_[of.called])
    found |= first_[program_.rule(called.rule).start().index()];
  for (const Ended& ended : goals_[of.ended]) found |= follow_[ended.goal.index()];
  return follow_of_[id].emplace(found);
}

void Rows::check_invariants() const {
  const bool are_empty = scans_[0].empty() && waits_[0].empty() && goals_[0].empty() &&
                         called_[0].empty() && rows_[0].empty();
  XG2LAB_ASSERT(are_empty, "rows I1: number 0 is empty everywhere");
  for (Id id = 1; id < rows_.size(); ++id) {
    XG2LAB_ASSERT(rows_[id].size() == 1 && !(rows_[id].front() == Row{}), "rows I1");
    const Row& row = rows_[id].front();
    XG2LAB_ASSERT(row.scan < scans_.size() && row.waits < waits_.size(), "rows I1");
    XG2LAB_ASSERT(row.ended < goals_.size() && row.called < called_.size(), "rows I1");
  }
  for (const auto& [byte_class, step] : first_steps_)
    XG2LAB_ASSERT(step.next == Step::kUnknown || row(step.row).scan == 0, "rows I2");
  const auto is_same = [](const auto& a, const auto& b) { return a.is_same_but_counts(b); };
  for (Id id = 0; id < scans_.size(); ++id)
    XG2LAB_ASSERT(std::ranges::adjacent_find(scans_[id], is_same) == scans_[id].end(), "rows I3");
  for (Id id = 0; id < waits_.size(); ++id)
    XG2LAB_ASSERT(std::ranges::adjacent_find(waits_[id], is_same) == waits_[id].end(), "rows I3");
}

size_t Rows::memory_size_bytes() const {
  return scans_.memory_size_bytes() + waits_.memory_size_bytes() + goals_.memory_size_bytes() +
         called_.memory_size_bytes() + rows_.memory_size_bytes() +
         united_scans_.memory_size_bytes() + united_waits_.memory_size_bytes() +
         united_goals_.memory_size_bytes() + united_calls_.memory_size_bytes() +
         returned_.memory_size_bytes() + returned_here_.memory_size_bytes() +
         predicted_.memory_size_bytes() + pushed_.memory_size_bytes() +
         first_steps_.capacity() * sizeof(FirstStep) + more_steps_.memory_size_bytes() +
         bytes_.capacity() * sizeof(std::optional<Bytes>) + facts_.capacity() * sizeof(Facts) +
         returned_rows_.capacity() * sizeof(Row) + returns_here_.capacity() * sizeof(Return) +
         predicted_rows_.capacity() * sizeof(Row) +
         (first_.capacity() + follow_.capacity()) * sizeof(Bytes) + follow_of_.memory_size_bytes();
}

}  // namespace xg2lab
