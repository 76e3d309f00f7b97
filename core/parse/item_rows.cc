// Read: close (builds one row), then the operations that make rows: find_step, predicted, returned,
// returned_here. The sets of follow() are separate.
#include "parse/item_rows.h"

#include <algorithm>

#include "parse/first_follow.h"
#include "support/budget.h"
#include "support/error.h"
#include "support/sort_unique.h"

namespace xg2lab {
namespace {

void add_range(ItemRows::Bytes& bytes, ByteRange range) {
  for (size_t byte = range.lo; byte <= range.hi; ++byte) bytes.set(byte);
}

}  // namespace

ItemRows::ItemRows(const Program& program) : program_(program) {}

ItemRows::Id ItemRows::scan_of(std::vector<Place>& places) {
  sort_unique(places);
  return scans_.of(places);
}

ItemRows::Id ItemRows::waits_of(std::vector<Wait>& waits) {
  sort_unique(waits);
  return waits_.of(waits);
}

// ---- One row ----

void ItemRows::add(Closed& closed, Place place) {
  if (closed.known.find(place.state.value, place.goal.value) != nullptr) return;
  closed.known.add(place.state.value, place.goal.value, 0);
  closed.agenda.push_back(place);
}

void ItemRows::Closed::clear() {
  agenda.clear();
  known.clear();
  scan.clear();
  waits.clear();
  ended.clear();
  called.clear();
}

// Predicts and completes as Closure does (closure.h), for items of one origin. If that is an
// earlier column, predicted rules have another origin, so they are only listed in `called`. If the
// origin is this column, predicted places belong to this row, and no goal is completed: nullable
// rules were stepped over instead.
void ItemRows::close(Closed& closed, Origin origin) {
  for (size_t i = 0; i < closed.agenda.size(); ++i) {
    count_work("the rows of a column");
    const auto [state, goal] = closed.agenda[i];
    if (origin == Origin::kEarlier && program_.is_accepting(state)) closed.ended.push_back(goal);
    if (program_.is_scannable(state)) closed.scan.push_back({state, goal});
    for (const CallEdge& edge : program_.calls(state)) {
      const ProgramRule& rule = program_.rule(edge.rule);
      closed.waits.push_back({edge.rule, {edge.to, goal}});
      if (origin == Origin::kEarlier) closed.called.push_back(edge.rule);
      else add(closed, {rule.start(), edge.rule});
      if (rule.is_nullable) add(closed, {edge.to, goal});
    }
  }
}

ItemRows::Id ItemRows::keep(Closed& closed) {
  sort_unique(closed.ended);
  sort_unique(closed.called);
  Row row;
  row.scan = scan_of(closed.scan);
  row.waits = waits_of(closed.waits);
  row.ended = rules_.of(closed.ended);
  row.called = rules_.of(closed.called);
  closed.clear();
  return id_of(row);
}

ItemRows::Id ItemRows::id_of(const Row& row) { return row == Row{} ? 0 : rows_.of({row}); }

// ---- The operations that make rows ----

ItemRows::Known& ItemRows::make_known(Id scan) {
  if (scan >= known_.size()) known_.resize(scan + 1);
  Known& known = known_[scan];
  known.steps = std::make_unique<Step[]>(program_.n_byte_classes());
  for (const Place& place : scans_[scan]) {
    for (const TerminalEdge& edge : program_.terminals(place.state))
      add_range(known.bytes, edge.range);
  }
  n_steps_ += program_.n_byte_classes();
  return known;
}

ItemRows::Step ItemRows::find_step(Id scan, uint8_t byte) {
  next_.clear();
  for (const auto& [state, goal] : scans_[scan]) {
    for (const TerminalEdge& edge : program_.terminals(state)) {
      if (edge.range.lo > byte) break;
      if (!edge.range.contains(byte)) continue;
      // Only a place before a call needs the closure.
      if (!program_.calls(edge.to).empty()) {
        add(closed_, {edge.to, goal});
        continue;
      }
      if (program_.is_scannable(edge.to)) next_.push_back({edge.to, goal});
      if (program_.is_accepting(edge.to)) closed_.ended.push_back(goal);
    }
  }
  close(closed_, Origin::kEarlier);
  // The closure stepped over nullable rules. The places behind these have the same origin, so those
  // that scan belong to `next` (I2).
  next_.insert(next_.end(), closed_.scan.begin(), closed_.scan.end());
  closed_.scan.clear();
  Step step;
  step.next = scan_of(next_);
  step.row = keep(closed_);
  return known_scan(scan).steps[program_.byte_class(byte)] = step;
}

ItemRows::Row ItemRows::predicted(Id called) {
  if (called == 0) return {};
  if (const uint32_t* known = predicted_.find(called, 0)) return predicted_rows_[*known];
  for (RuleId rule : rules_[called]) add(closed_, {program_.rule(rule).start(), rule});
  close(closed_, Origin::kHere);
  predicted_.add(called, 0, static_cast<uint32_t>(predicted_rows_.size()));
  return predicted_rows_.emplace_back(row(keep(closed_)));
}

ItemRows::Id ItemRows::returned(Id waits, Id goals) {
  if (const uint32_t* known = returned_.find(waits, goals)) return *known;
  const std::vector<RuleId>& of = rules_[goals];
  for (const Wait& wait : waits_[waits]) {
    if (std::ranges::binary_search(of, wait.rule)) add(closed_, wait.after);
  }
  close(closed_, Origin::kEarlier);
  return returned_.add(waits, goals, keep(closed_));
}

ItemRows::Return ItemRows::returned_here(Id waits, Id goals) {
  if (const uint32_t* known = returned_here_.find(waits, goals)) return returns_here_[*known];
  // Each round resumes with the goals of all rounds before, until no new goal is complete.
  Return found{0, goals};
  while (true) {
    found.row = returned(waits, found.goals);
    const Id all = united_goals(found.goals, row(found.row).ended);
    if (all == found.goals) break;
    found.goals = all;
  }
  // found.goals contains the goals that are complete, so the row need not name them.
  if (found.row != 0) {
    Row open = row(found.row);
    open.ended = 0;
    found.row = id_of(open);
  }
  returned_here_.add(waits, goals, static_cast<uint32_t>(returns_here_.size()));
  return returns_here_.emplace_back(found);
}

template <class T>
ItemRows::Id ItemRows::united(Interned<T>& of, PairMap& known, Id a, Id b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  if (const uint32_t* both = known.find(a, b)) return *both;
  std::vector<T> both(of[a]);
  both.insert(both.end(), of[b].begin(), of[b].end());
  sort_unique(both);
  return known.add(a, b, of.of(both));
}

ItemRows::Row ItemRows::united(const Row& a, const Row& b) {
  return {united(scans_, united_scans_, a.scan, b.scan),
          united(waits_, united_waits_, a.waits, b.waits), united_goals(a.ended, b.ended),
          united_goals(a.called, b.called)};
}

// ---- FOLLOW: the bytes that may come next ----

void ItemRows::find_follow() {
  FirstFollow<Bytes> found(program_);
  for (uint32_t s = 0; s < program_.n_states(); ++s) {
    for (const TerminalEdge& edge : program_.terminals(StateId(s)))
      add_range(found.first[s], edge.range);
  }
  found.settle();
  first_ = std::move(found.first);
  follow_ = std::move(found.follow);
}

const ItemRows::Bytes& ItemRows::follow(Id id) {
  if (id < follow_of_.size() && follow_of_[id]) return *follow_of_[id];
  if (follow_.empty()) find_follow();
  while (follow_of_.size() <= id) follow_of_.append();
  const Row of = row(id);
  Bytes found = bytes(of.scan);
  for (RuleId rule : rules_[of.called]) found |= first_[program_.rule(rule).start().index()];
  for (RuleId goal : rules_[of.ended]) found |= follow_[goal.index()];
  return follow_of_[id].emplace(found);
}

void ItemRows::check_invariants() const {
  const bool are_empty =
      scans_[0].empty() && waits_[0].empty() && rules_[0].empty() && rows_[0].empty();
  XG2LAB_ASSERT(are_empty, "rows I1: number 0 is empty everywhere");
  for (Id id = 1; id < rows_.size(); ++id) {
    XG2LAB_ASSERT(rows_[id].size() == 1 && !(rows_[id].front() == Row{}), "rows I1");
    const Row& row = rows_[id].front();
    XG2LAB_ASSERT(row.scan < scans_.size() && row.waits < waits_.size(), "rows I1");
    XG2LAB_ASSERT(row.ended < rules_.size() && row.called < rules_.size(), "rows I1");
  }
  for (const Known& known : known_) {
    for (size_t i = 0; known.steps && i < program_.n_byte_classes(); ++i) {
      const Step& step = known.steps[i];
      XG2LAB_ASSERT(step.next == Step::kUnknown || row(step.row).scan == 0, "rows I2");
    }
  }
}

size_t ItemRows::memory_size_bytes() const {
  return scans_.memory_size_bytes() + waits_.memory_size_bytes() + rules_.memory_size_bytes() +
         rows_.memory_size_bytes() + united_scans_.memory_size_bytes() +
         united_waits_.memory_size_bytes() + united_rules_.memory_size_bytes() +
         returned_.memory_size_bytes() + returned_here_.memory_size_bytes() +
         predicted_.memory_size_bytes() + known_.capacity() * sizeof(Known) +
         n_steps_ * sizeof(Step) + returns_here_.capacity() * sizeof(Return) +
         predicted_rows_.capacity() * sizeof(Row) +
         (first_.capacity() + follow_.capacity()) * sizeof(Bytes) + follow_of_.memory_size_bytes();
}

}  // namespace xg2lab
