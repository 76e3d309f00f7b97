// Read: the operations that make rows: find_step, predicted, returned, returned_here. Each closes a
// row (row_closure.h) and interns it with keep().
#include "parse/rows.h"

#include <algorithm>
#include <utility>

#include "parse/contents_needed.h"
#include "support/error.h"
#include "support/sort_unique.h"

namespace xg2lab {

Rows::Rows(const Program& program, CountSets& count_sets, Calls calls)
    : program_(program),
      count_sets_(count_sets),
      follow_(program),
      closure_(program, count_sets, calls) {}

// ---- Lists: sorted, and united where they differ in their counts alone ----

template <class T>
void Rows::sort_and_unite(std::vector<T>& values) {
  if (values.size() < 2) return;
  sort_unique(values);
  if (!program_.has_counts()) return;
  const auto unite_into = [this](T& kept, const T& other) {
    if constexpr (std::is_same_v<T, Place>) {
      kept.counts = closure_.united(kept.state, kept.counts, other.counts);
    } else if constexpr (std::is_same_v<T, Wait>) {
      kept.after.counts = closure_.united(kept.after.state, kept.after.counts, other.after.counts);
    } else {
      kept.counts = closure_.united(program_.rule(kept.rule).start(), kept.counts, other.counts);
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
  return scans_.lists.of(places);
}

Rows::Id Rows::waits_of(std::vector<Wait>& waits) {
  if (waits.empty()) return 0;
  sort_and_unite(waits);
  return waits_.lists.of(waits);
}

Rows::Id Rows::goals_of(std::vector<Ended>& goals) {
  if (goals.empty()) return 0;
  if (goals.size() > 1) sort_unique(goals);
  return goals_.lists.of(goals);
}

std::span<const Wait> Rows::waits_for(Id id, RuleId rule) const {
  const std::span<const Wait> waits = waits_.lists[id];
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
  for (const Wait& wait : waits_.lists[waits]) {
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
  std::vector<Wait> clamped(waits_.lists[waits].begin(), waits_.lists[waits].end());
  for (auto& [rule, after] : clamped) {
    if (const Repetition* repetition = program_.repetition(after.state))
      after.counts = count_sets_.clamp(after.counts, *repetition, reach);
    else if (program_.kind(after.state) == StateKind::kPlain) after.counts = {};
  }
  return waits_of(clamped);
}

Rows::Id Rows::waits_for(Id waits, Id goals) {
  std::vector<Wait> kept;
  const std::span<const Wait> all = waits_.lists[waits];
  for (const Wait& wait : all) {
    if (is_goal(goals, wait.rule)) kept.push_back(wait);
  }
  return kept.size() == all.size() ? waits : waits_of(kept);
}

Rows::Id Rows::goals_after(Id waits) {
  std::vector<Ended> goals;
  for (const Wait& wait : waits_.lists[waits]) goals.push_back({wait.after.goal});
  return goals_of(goals);
}

Rows::Id Rows::goals_of_places(Id scan) {
  std::vector<Ended> goals;
  for (const Place& place : scans_.lists[scan]) goals.push_back({place.goal});
  return goals_of(goals);
}

Rows::Id Rows::goals_led_to(Id waits, Id goals) {
  for (Id before = 0; waits != 0 && before != goals;) {
    before = goals;
    goals = united_goals(goals, goals_after(waits_for(waits, goals)));
  }
  return goals;
}

bool Rows::is_goal(Id goals, RuleId rule) const {
  const std::span<const Ended> all = goals_.lists[goals];
  const auto at = std::ranges::lower_bound(all, rule, {}, &Ended::goal);
  return at != all.end() && at->goal == rule;
}

Rows::Id Rows::without_tokens(Id scan) {
  if (!program_.has_budgets()) return scan;
  std::vector<Place> places(scans_.lists[scan].begin(), scans_.lists[scan].end());
  for (Place& place : places) {
    if (program_.kind(place.state) == StateKind::kPlain) place.counts = {};
  }
  return scan_of(places);
}

// ---- One row ----

Rows::Row Rows::keep() {
  next_.clear();
  for (const Place& place : closure_.places()) {
    if (program_.is_scannable(place.state)) next_.push_back(place);
  }
  Row row;
  row.scan = scan_of(next_);
  row.waits = waits_of(closure_.waits());
  row.ended = goals_of(closure_.ended());
  if (!closure_.called().empty()) {
    sort_and_unite(closure_.called());
    row.called = called_.lists.of(closure_.called());
  }
  return row;
}

bool Rows::lacks_content(Id scan) const {
  return std::ranges::any_of(scans_.lists[scan],
                             [&](const Place& place) { return absent_content(place).has_value(); });
}

void Rows::throw_needed(Id scan) const {
  ContentsNeeded needed;
  for (const Place& place : scans_.lists[scan]) {
    if (const auto& absent = absent_content(place)) needed.numbers.push_back(*absent);
  }
  throw needed;
}

// ---- The operations that make rows ----

const Rows::Bytes& Rows::bytes(Id scan) {
  if (scan >= bytes_.size()) bytes_.resize(std::max<size_t>(scan + 1, 2 * bytes_.size()));
  if (bytes_[scan]) return *bytes_[scan];
  need_contents(scan);
  Bytes found;
  for (const Place& place : scans_.lists[scan]) {
    for (const TerminalEdge& edge : program_.terminals(place.state)) add_range(found, edge.range);
  }
  return bytes_[scan].emplace(found);
}

bool Rows::reads(Id scan, uint8_t byte) const {
  need_contents(scan);
  return std::ranges::any_of(scans_.lists[scan], [&](const Place& place) {
    return std::ranges::any_of(program_.terminals(place.state),
                               [&](const TerminalEdge& edge) { return edge.range.contains(byte); });
  });
}

void Rows::add_classes(Id scan, Classes& classes) const {
  need_contents(scan);
  for (const Place& place : scans_.lists[scan]) {
    for (const TerminalEdge& edge : program_.terminals(place.state))
      classes.add_range(program_.byte_class(edge.range.lo), program_.byte_class(edge.range.hi));
  }
}

void Rows::keep_alike(Id scan, uint8_t byte, Classes& alike) const {
  need_contents(scan);
  for (const Place& place : scans_.lists[scan]) {
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
  need_contents(scan);
  closure_.clear();
  if (stay_within(scan, byte)) {
    const Id next = scan_of(next_);
    return {next, closure_.ended().empty() ? 0 : id_of({0, 0, goals_of(closure_.ended()), 0})};
  }
  closure_.ended().clear();
  for (const auto& [state, goal, counts] : scans_.lists[scan]) {
    for (const TerminalEdge& edge : program_.terminals(state)) {
      if (edge.range.lo > byte) break;
      if (edge.range.contains(byte)) closure_.add({edge.to, goal, counts});
    }
  }
  return step_of_moved();
}

// Moves the places over the byte into next_ and closure_.ended(), if none of them is before a call
// then: so nothing needs to be closed. False if one is.
bool Rows::stay_within(Id scan, uint8_t byte) {
  next_.clear();
  for (const auto& [state, goal, counts] : scans_.lists[scan]) {
    for (const TerminalEdge& edge : program_.terminals(state)) {
      if (edge.range.lo > byte) break;
      if (!edge.range.contains(byte)) continue;
      if (!program_.calls(edge.to).empty()) return false;
      if (!count_sets_.is_open(edge.to, counts)) continue;
      const Place moved{edge.to, goal, counts};
      if (program_.is_scannable(edge.to)) next_.push_back(moved);
      if (program_.is_accepting(edge.to)) closure_.end(moved, Begun::kEarlier);
    }
  }
  return true;
}

Rows::Step Rows::step_token(Id scan, TokenId token) {
  closure_.clear();
  for (const auto& [state, goal, counts] : scans_.lists[scan]) {
    if (program_.is_before_token(state) && program_.tokens(state).holds(token))
      closure_.add({Program::after_token(state), goal, counts});
  }
  return step_of_moved();
}

Rows::Step Rows::step_of_moved() {
  closure_.close(Begun::kEarlier);
  Row row = keep();
  const Id next = std::exchange(row.scan, 0);  // I2
  return {next, id_of(row)};
}

Rows::Row Rows::start() {
  closure_.clear();
  closure_.add({program_.rule(program_.root()).start(), program_.root()});
  closure_.close(Begun::kEarlier);
  return keep();
}

Rows::Row Rows::predicted(Id called) {
  if (called == 0) return {};
  if (const Row* known = predicted_.find(called)) return *known;
  closure_.clear();
  for (const auto& [rule, counts] : called_.lists[called])
    closure_.add({program_.rule(rule).start(), rule, counts});
  closure_.close(Begun::kHere);
  return predicted_.add_absent(called, keep());
}

Rows::Row Rows::predicted(Called called) {
  const NumberPair key{called.rule.value, called.counts.word};
  if (const Row* known = pushed_.find(key)) return *known;
  closure_.clear();
  closure_.add({program_.rule(called.rule).start(), called.rule, called.counts});
  closure_.close(Begun::kHere);
  return pushed_.add_absent(key, keep());
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
    closure_.add(after);
  }
}

Rows::Row Rows::returned(Id waits, Id goals) {
  const bool is_kept = !has_counts(waits);
  if (is_kept) {
    if (const Row* known = returned_.find({waits, goals})) return *known;
  }
  closure_.clear();
  for (const Ended& goal : goals_.lists[goals]) resume(waits, goal);
  closure_.close(Begun::kEarlier);
  const Row row = keep();
  if (is_kept) returned_.add_absent({waits, goals}, row);
  return row;
}

Rows::Return Rows::returned_here(Id waits, Id goals) {
  const bool is_kept = !has_counts(waits);
  if (is_kept) {
    if (const Return* known = returned_here_.find({waits, goals})) return *known;
  }
  closure_.clear();
  seen_goals_.clear();
  std::vector<Ended>& all = agenda_of_goals_;
  all.clear();
  const auto find = [&](const Ended& goal) {
    const uint64_t key = (uint64_t{goal.goal.value} << 32) | goal.member;
    if (seen_goals_.add(key, 0).is_new) all.push_back(goal);
  };
  for (const Ended& goal : goals_.lists[goals]) find(goal);
  for (size_t i = 0; i < all.size();) {
    for (; i < all.size(); ++i) resume(waits, all[i]);
    closure_.visit_all(Begun::kEarlier);
    for (const Ended& goal : closure_.ended()) find(goal);
    closure_.ended().clear();
  }
  closure_.list_last_waits();
  const Row row = keep();
  const Return found{row, goals_of(all)};
  if (is_kept) returned_here_.add_absent({waits, goals}, found);
  return found;
}

// ---- Unions ----

template <class T>
Rows::Id Rows::united(Lists<T>& of, Id a, Id b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  if (const uint32_t* both = of.united.find(a, b)) return *both;
  std::vector<T> both(of.lists[a].begin(), of.lists[a].end());
  both.insert(both.end(), of.lists[b].begin(), of.lists[b].end());
  if constexpr (std::is_same_v<T, Ended>) sort_unique(both);
  else sort_and_unite(both);
  return of.united.add(a, b, of.lists.of(both));
}

Rows::Id Rows::united_scans(Id a, Id b) { return united(scans_, a, b); }
Rows::Id Rows::united_waits(Id a, Id b) { return united(waits_, a, b); }
Rows::Id Rows::united_goals(Id a, Id b) { return united(goals_, a, b); }
Rows::Id Rows::united_calls(Id a, Id b) { return united(called_, a, b); }

Rows::Row Rows::united(const Row& a, const Row& b) {
  return {united_scans(a.scan, b.scan), united_waits(a.waits, b.waits),
          united_goals(a.ended, b.ended), united_calls(a.called, b.called)};
}

const Rows::Bytes& Rows::follow(Id id) {
  if (const Bytes* known = follow_.known(id)) return *known;
  const Row of = row(id);
  return follow_.of(id, bytes(of.scan), called_.lists[of.called], goals_.lists[of.ended]);
}

void Rows::check_invariants() const {
  const bool are_empty = scans_.lists[0].empty() && waits_.lists[0].empty() &&
                         goals_.lists[0].empty() && called_.lists[0].empty() && rows_[0].empty();
  XG2LAB_ASSERT(are_empty, "rows I1: number 0 is empty everywhere");
  for (Id id = 1; id < rows_.size(); ++id) {
    XG2LAB_ASSERT(rows_[id].size() == 1 && !(rows_[id].front() == Row{}), "rows I1");
    const Row& row = rows_[id].front();
    XG2LAB_ASSERT(row.scan < scans_.lists.size() && row.waits < waits_.lists.size(), "rows I1");
    XG2LAB_ASSERT(row.ended < goals_.lists.size() && row.called < called_.lists.size(), "rows I1");
  }
  for (const auto& [byte_class, step] : first_steps_)
    XG2LAB_ASSERT(step.next == Step::kUnknown || row(step.row).scan == 0, "rows I2");
  const auto is_same = [](const auto& a, const auto& b) { return a.is_same_but_counts(b); };
  for (Id id = 0; id < scans_.lists.size(); ++id)
    XG2LAB_ASSERT(std::ranges::adjacent_find(scans_.lists[id], is_same) == scans_.lists[id].end(),
                  "rows I3");
  for (Id id = 0; id < waits_.lists.size(); ++id)
    XG2LAB_ASSERT(std::ranges::adjacent_find(waits_.lists[id], is_same) == waits_.lists[id].end(),
                  "rows I3");
}

size_t Rows::memory_size_bytes() const {
  return scans_.memory_size_bytes() + waits_.memory_size_bytes() + goals_.memory_size_bytes() +
         called_.memory_size_bytes() + rows_.memory_size_bytes() +
         first_steps_.capacity() * sizeof(FirstStep) + more_steps_.memory_size_bytes() +
         bytes_.capacity() * sizeof(std::optional<Bytes>) + facts_.capacity() * sizeof(Facts) +
         returned_.memory_size_bytes() + returned_here_.memory_size_bytes() +
         predicted_.memory_size_bytes() + pushed_.memory_size_bytes() + follow_.memory_size_bytes();
}

}  // namespace xg2lab
