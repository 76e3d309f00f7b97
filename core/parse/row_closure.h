// A row in the making: places, closed under prediction and under nullable rules.
//
// Twin:  xg2lab/reference/rows.py
// Tests: tests/differential/test_rows.py, tests/unit/parse_rows.cc
//
// IDEA
//   rows.h adds the places that a byte, a completion or a prediction leads to. close() visits each
//   of them: a place before a call waits for the called rule, a place at its rule's end completes
//   its goal, and a place before a nullable rule is also added behind the rule (Aycock and Horspool
//   2002). The result is four lists, which rows.h sorts and interns.
//
// A place of an any-order rule calls its member rule (or the separator) while some member may still
// be matched. A place of the member rule survives while some member that it can reach may still be
// matched. A place of a counted rule calls its child while its counts allow another iteration, and
// is complete while they allow the end. Counts may grow while a row is built; the place is then
// visited again, and the places that wait for a child are listed last, with their final counts.
//
// COST      a visit for each place, and one for each time that its counts grow.
// THREADS   belongs to its owner.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "parse/item.h"
#include "program/program.h"
#include "support/index_table.h"

namespace xg2lab {

// A goal that is complete. A member rule is complete for each member that ends.
struct EndedGoal {
  static constexpr uint32_t kNoMember = UINT32_MAX;
  RuleId goal;
  uint32_t member = kNoMember;  // set if `goal` is a member rule
  friend auto operator<=>(const EndedGoal&, const EndedGoal&) = default;
};

// A rule that begins where the row's column ends. A member rule begins with the sets of members
// that the calling place has matched.
struct CalledRule {
  RuleId rule;
  Counts counts;
  bool is_same_but_counts(const CalledRule& other) const { return rule == other.rule; }
  friend auto operator<=>(const CalledRule&, const CalledRule&) = default;
};

class RowClosure {
 public:
  // Whether a call in a row is a part of the row. With kStacks each call has a frame of its own
  // instead, and a tail call takes over the caller's goal.
  enum class Calls : uint8_t { kShared, kStacks, kStacksWithoutTails };
  // Where the places of a row begin: in an earlier context, or in the one that is being made.
  enum class Begun : uint8_t { kEarlier, kHere };

  RowClosure(const Program& program, CountSets& count_sets, Calls calls)
      : program_(program), count_sets_(count_sets), calls_(calls) {}

  // An exception may leave a row unfinished, so each row begins with clear().
  void clear();
  // Adds the place, or unites its counts with those of the known place. A place that can reach no
  // open member is dropped.
  void add(const Place& place);
  // Completes the place's goal, unless the place began here.
  void end(const Place& place, Begun begun);
  // Predicts and steps over nullable rules until no place is new and no counts grow.
  void visit_all(Begun begun);
  // Lists the places of counted and any-order rules that wait, with their final counts: after the
  // last visit_all().
  void list_last_waits();
  void close(Begun begun) {
    visit_all(begun);
    list_last_waits();
  }

  Counts united(StateId state, Counts a, Counts b) {
    return a == b ? a : count_sets_.unite(state, a, b);
  }

  // ---- The row: its lists, in any order ----

  std::span<const Place> places() const { return agenda_; }
  std::vector<Wait>& waits() { return waits_; }
  std::vector<EndedGoal>& ended() { return ended_; }
  std::vector<CalledRule>& called() { return called_; }

 private:
  void visit(uint32_t index, Begun begun);
  void visit_any_order(const Place& place, Begun begun);
  void call(RuleId rule, Counts counts, Begun begun);

  const Program& program_;
  CountSets& count_sets_;
  const Calls calls_;
  std::vector<Place> agenda_;
  IndexTable known_;             // of the agenda, by state and goal
  std::vector<uint32_t> grown_;  // places to visit again: their counts have grown
  size_t n_visited_ = 0;         // of the agenda
  std::vector<Wait> waits_;
  std::vector<EndedGoal> ended_;
  std::vector<CalledRule> called_;
};

}  // namespace xg2lab
