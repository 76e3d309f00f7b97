// Rows: the items of one column that share an origin, stored without it (LR(0) sets).
//
// Twin:  xg2lab/reference/rows.py
// Tests: tests/differential/test_rows.py, tests/differential/test_engine_vs_twin.py,
//        tests/unit/parse_rows.cc
//
// IDEA
//   A *row* is the LR(0) set of a column's items with one origin: the places that scan, the places
//   that wait, the goals that are complete, and the rules that are called. A scanned byte, a
//   completion or a prediction leads from a row to a row that depends on the program alone, not on
//   the origin. So each such step is computed once and looked up by number: the rows are the states
//   of an LR(0) automaton, made on first use (Aycock and Horspool 2002). A column is then a few
//   rows with their origins (column_table.h), however many items the rows contain.
//
//     after `f(` the rows are  the item of the call that waits for its arguments, with the origin
//                              of the call; the items that an expression begins with, whose origin
//                              is the context of the waiting call
//
// The three operations of Earley's algorithm, within one row:
//
//   scan      step() moves each place over the byte
//   predict   predicted() makes the row of the rules that a column calls. Their origin is the
//             context that is made for the column, so the row contains all places that these rules
//             predict in turn.
//   complete  returned() resumes the places that wait for complete goals
//
// Rows are closed (row_closure.h): a place before a nullable rule is also added behind the rule. So
// the places whose origin is the new context need no completion.
//
// INVARIANTS
//   I1  equal rows have equal numbers; number 0 is the empty row, and the empty list in each table
//   I2  the row of a step contains no place that scans: those places are in the step's `next`
//   I3  a list of places, or of waits, contains no two that differ in their counts alone
//
// COST      a known step: one look-up. A new row: its places, and sorting them.
// THREADS   new rows: the owner's mutex. The places of a known row: any thread that learned the
//           row's number by acquire.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "parse/item.h"
#include "parse/row_closure.h"
#include "parse/row_follow.h"
#include "program/program.h"
#include "support/dense_map.h"
#include "support/index_table.h"
#include "support/interned.h"
#include "support/small_set.h"

namespace xg2lab {

class Rows {
 public:
  using Id = uint32_t;
  using Bytes = RowBytes;
  using Classes = SmallSet;  // of byte classes
  using Ended = EndedGoal;
  using Called = CalledRule;
  using Calls = RowClosure::Calls;
  struct Row {
    Id scan = 0;    // places that scan
    Id waits = 0;   // places that wait
    Id ended = 0;   // goals that are complete
    Id called = 0;  // rules that begin in the row's column
    friend bool operator==(const Row&, const Row&) = default;
  };
  struct Step {
    static constexpr Id kUnknown = UINT32_MAX;
    Id next = kUnknown;  // places that scan further; kUnknown: not computed yet
    Id row = 0;          // the completed goals, waiting places and called rules
    bool is_dead() const { return next == 0 && row == 0; }
    friend auto operator<=>(const Step&, const Step&) = default;
  };
  // The result of completing goals that began in a context, among the places that began and wait
  // there: the row of the resumed places, and all goals that are complete then.
  struct Return {
    Row row;  // names no goals
    Id goals = 0;
  };
  Rows(const Program& program, CountSets& count_sets, Calls calls);

  CountSets& count_sets() { return count_sets_; }
  Row row(Id id) const { return rows_[id].empty() ? Row{} : rows_[id].front(); }
  std::span<const Place> places(Id scan) const { return scans_.lists[scan]; }
  std::span<const Wait> waits(Id id) const { return waits_.lists[id]; }
  // The waits for one rule.
  std::span<const Wait> waits_for(Id id, RuleId rule) const;
  // The ids of a list of places, of waits and of goals. Each function sorts and unites the list.
  Id scan_of(std::vector<Place>& places);
  Id waits_of(std::vector<Wait>& waits);
  Id goals_of(std::vector<Ended>& goals);
  // Whether some wait of the list is a tail: it waits at the end of its own rule, so it would, once
  // resumed, only complete that rule.
  bool has_tails(Id waits) { return facts(waits).has_tails; }
  bool is_tail(const Wait& wait) const;
  // Whether some wait of the list carries counts. Lists with counts seldom occur twice.
  bool has_counts(Id waits) { return program_.has_counts() && facts(waits).has_counts; }
  // The waits with clamped counts (column_table.h). Numbers of tokens are dropped: a mask ends
  // before the next tick.
  Id clamped(Id waits, uint32_t reach);
  // Whether clamping may change the counts of some wait of the list.
  bool have_bounds(Id waits) { return facts(waits).has_bounds; }
  // The waits for some rule among the goals.
  Id waits_for(Id waits, Id goals);
  // The goals of the places that wait, and of the places that scan.
  Id goals_after(Id waits);
  Id goals_of_places(Id scan);
  // The goals, and those that completing them leads to among places that began, and wait, in one
  // context.
  Id goals_led_to(Id waits, Id goals);
  Id without_tokens(Id scan);

  // Whether some place of `scan` is before a content that the program lacks. need_contents() throws
  // ContentsNeeded then, and so do the functions below that answer what `scan` reads.
  bool lacks_content(Id scan) const;
  void need_contents(Id scan) const {
    if (program_.has_absent_contents() && lacks_content(scan)) throw_needed(scan);
  }
  // The bytes that some place of `scan` reads.
  const Bytes& bytes(Id scan);
  // Whether some place of `scan` reads the byte.
  bool reads(Id scan, uint8_t byte) const;
  // Adds the byte classes that some place of `scan` reads.
  void add_classes(Id scan, Classes& classes) const;
  // Removes from `alike` the byte classes that the places of `scan` do not read as they read
  // `byte`: along edges to the same state, or not at all if the place doesn't read `byte`.
  void keep_alike(Id scan, uint8_t byte, Classes& alike) const;
  Step step(Id scan, uint8_t byte) {
    const uint32_t byte_class = program_.byte_class(byte);
    if (scan < first_steps_.size() && first_steps_[scan].byte_class == byte_class)
      return first_steps_[scan].step;
    const Step* known = more_steps_.find({scan, byte_class});
    return known != nullptr ? *known : find_step(scan, byte);
  }
  // The same, computed anew: for callers that keep it themselves.
  Step made_step(Id scan, uint8_t byte);
  // The step by token edges that accept the token. It is not kept.
  Step step_token(Id scan, TokenId token);
  // The row of the root's places at the begin of a text.
  Row start();
  // The row of the places predicted for the rules `called`. Its origin is the context of their
  // callers, in which nothing has been consumed, so it contains no complete goals.
  Row predicted(Id called);
  Row predicted(Called called);
  // The row of the places that completing the goals resumes among `waits`.
  Row returned(Id waits, Id goals);
  // The same if the waiting places began in the context in which they wait. The goals that the
  // resumed places complete resume places of `waits` again, until no goal is new.
  Return returned_here(Id waits, Id goals);
  Row united(const Row& a, const Row& b);
  Id united_scans(Id a, Id b);
  Id united_waits(Id a, Id b);
  Id united_goals(Id a, Id b);
  Id united_calls(Id a, Id b);
  // The bytes that may come next after a row, in any context. The set never moves.
  const Bytes& follow(Id row);

  // O(1).
  size_t memory_size_bytes() const;
  // Asserts I1 to I3 of all rows and steps known so far. For tests.
  void check_invariants() const;

 private:
  using Begun = RowClosure::Begun;
  // The lists of one kind of element, and the unions of two of them.
  template <class T>
  struct Lists {
    Interned<T> lists;
    PairMap united;  // by two lists
    size_t memory_size_bytes() const {
      return lists.memory_size_bytes() + united.memory_size_bytes();
    }
  };
  // The known steps of a list of places that scan: the first is apart, because a text
  // reads one byte from most lists.
  struct FirstStep {
    uint32_t byte_class = UINT32_MAX;
    Step step;
  };
  // Facts about a list of waits.
  struct Facts {
    bool are_known : 1 = false;
    bool has_tails : 1 = false;
    bool has_counts : 1 = false;
    bool has_bounds : 1 = false;  // clamping may change the counts of some wait
  };

  [[noreturn]] void throw_needed(Id scan) const;
  const std::optional<uint32_t>& absent_content(const Place& place) const {
    return program_.rule(program_.rule_of(place.state)).absent_content;
  }
  bool is_goal(Id goals, RuleId rule) const;
  void resume(Id waits, Ended goal);
  // Interns the row that closure_ contains.
  Row keep();
  Id id_of(const Row& row) { return row == Row{} ? 0 : rows_.of({row}); }
  Step step_of_moved();
  Step find_step(Id scan, uint8_t byte);
  template <class T>
  void sort_and_unite(std::vector<T>& values);
  template <class T>
  Id united(Lists<T>& of, Id a, Id b);
  const Facts& facts(Id waits) {
    const bool are_known = waits < facts_.size() && facts_[waits].are_known;
    return are_known ? facts_[waits] : make_facts(waits);
  }
  const Facts& make_facts(Id waits);
  void keep_step(Id scan, uint32_t byte_class, const Step& step);
  bool stay_within(Id scan, uint8_t byte);

  const Program& program_;
  CountSets& count_sets_;
  Lists<Place> scans_;
  Lists<Wait> waits_;
  Lists<Ended> goals_;
  Lists<Called> called_;
  Interned<Row> rows_;                       // each list contains one row
  std::vector<FirstStep> first_steps_;       // index: scan
  DenseMap<NumberPair, Step> more_steps_;    // by scan and byte class
  std::vector<std::optional<Bytes>> bytes_;  // index: scan
  std::vector<Facts> facts_;                 // index: waits
  // By waits and goals. Returns of lists whose places carry counts are not kept: few of them occur
  // twice.
  DenseMap<NumberPair, Row> returned_;
  DenseMap<NumberPair, Return> returned_here_;
  DenseMap<Id, Row> predicted_;       // by called rules
  DenseMap<NumberPair, Row> pushed_;  // by rule and counts
  RowFollow follow_;
  RowClosure closure_;
  // Scratch memory of keep() and returned_here().
  std::vector<Place> next_;
  std::vector<Ended> agenda_of_goals_;
  DenseMap<uint64_t, char> seen_goals_;
};

}  // namespace xg2lab
