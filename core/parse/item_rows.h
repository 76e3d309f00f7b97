// A column's items grouped by origin and stored without it, so that contexts share them (LR(0)
// sets).
//
// Tests: tests/differential/test_words.py, tests/differential/test_engine_vs_twin.py,
//        tests/unit/parse_rows.cc
//
// IDEA
//   A column's items that have one origin are a *row*: items that scan, items that wait, goals
//   that are complete, rules that are called. The row that a scanned byte, a return or a
//   prediction makes of a row depends on the program alone, so each such step is worked out once
//   and remembered by number (the states of an LR(0) automaton, made as they are met: Aycock and
//   Horspool 2002). A column is then a few rows with their origins (row_columns.h), however many
//   items these hold.
//
//     after `f(` the rows are  args waiting for `)`, at the origin of the call;
//                              all that an expression begins with, here
//
// Rows are closed: nullable rules are stepped over.
//
// INVARIANTS
//   I1  equal rows have equal numbers; number 0 is empty everywhere
//   I2  a step's row scans nothing: all that goes on at the same origin is in its `next`
//
// COST      known: a look-up.   THREADS  its owner's.
// NOT HERE  items that carry counts (program.has_counts()), stacks (ParserKind::kPda).
#pragma once

#include <bitset>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "parse/item.h"
#include "program/program.h"
#include "support/dense_map.h"
#include "support/interned.h"
#include "support/stable_array.h"

namespace xg2lab {

class ItemRows {
 public:
  using Id = uint32_t;
  using Bytes = std::bitset<256>;
  struct Place {
    StateId state;
    RuleId goal;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Wait {
    RuleId rule;
    Place after;
    friend auto operator<=>(const Wait&, const Wait&) = default;
  };
  struct Row {
    Id scan = 0;    // places before a byte
    Id waits = 0;   // who waits for a rule
    Id ended = 0;   // goals that are complete
    Id called = 0;  // rules that begin where the row stands
    friend bool operator==(const Row&, const Row&) = default;
  };
  struct Step {
    static constexpr Id kUnknown = UINT32_MAX;
    Id next = kUnknown;  // places within the row's rules; kUnknown: not looked for yet
    Id row = 0;          // what has ended or waits for calls
    bool is_dead() const { return next == 0 && row == 0; }
    friend auto operator<=>(const Step&, const Step&) = default;
  };
  // What completing goals makes of the rows whose origin is the column itself: a row, and all goals
  // that are complete then.
  struct Return {
    Id row = 0;
    Id goals = 0;
  };

  explicit ItemRows(const Program& program);

  Row row(Id id) const { return rows_[id].empty() ? Row{} : rows_[id].front(); }
  // They sort what they are given.
  Id scan_of(std::vector<Place>& places);
  Id waits_of(std::vector<Wait>& waits);
  // By the bytes that a place of `scan` reads; all others lead nowhere.
  const Bytes& bytes(Id scan) { return known_scan(scan).bytes; }
  // By byte class: what step() has found. They stay where they are.
  const Step* steps(Id scan) { return known_scan(scan).steps.get(); }
  Step step(Id scan, uint8_t byte) {
    const Step known = steps(scan)[program_.byte_class(byte)];
    return known.next != Step::kUnknown ? known : find_step(scan, byte);
  }
  // The row, at its own column, of rules that are called there: nothing has ended in it.
  Row predicted(Id called);
  // The row of those in `waits` who wait for one of the goals.
  Id returned(Id waits, Id goals);
  // The same where who waits has begun in the column itself, so that goals of its own are complete,
  // and so on.
  Return returned_here(Id waits, Id goals);
  Row united(const Row& a, const Row& b);
  Id united_goals(Id a, Id b) { return united(rules_, united_rules_, a, b); }
  // All that may come next behind a row. It stays where it is.
  const Bytes& follow(Id row);

  size_t memory_size_bytes() const;
  // Asserts I1 and I2 of all rows and steps known so far. For tests.
  void check_invariants() const;
  // What was being made when something threw.
  void forget_unfinished() { closed_.clear(); }

 private:
  struct Closed {
    std::vector<Place> agenda;
    PairMap known;  // state and goal of what is in the agenda
    std::vector<Place> scan;
    std::vector<Wait> waits;
    std::vector<RuleId> ended;
    std::vector<RuleId> called;
    void clear();
  };
  enum class Origin : uint8_t { kEarlier, kHere };
  static void add(Closed& closed, Place place);
  void close(Closed& closed, Origin origin);
  Id keep(Closed& closed);
  Id id_of(const Row& row);
  template <class T>
  static Id united(Interned<T>& of, PairMap& known, Id a, Id b);
  void find_follow();
  struct Known {
    Bytes bytes;
    std::unique_ptr<Step[]> steps;  // index: byte class
  };
  Known& known_scan(Id scan) {
    if (scan < known_.size() && known_[scan].steps) return known_[scan];
    return make_known(scan);
  }
  Known& make_known(Id scan);
  Step find_step(Id scan, uint8_t byte);

  const Program& program_;
  Interned<Place> scans_;
  Interned<Wait> waits_;
  Interned<RuleId> rules_;
  Interned<Row> rows_;        // of one row each
  std::vector<Known> known_;  // index: scan
  PairMap united_scans_, united_waits_, united_rules_;
  PairMap returned_, returned_here_;
  std::vector<Return> returns_here_;
  PairMap predicted_;  // by rules, 0: 1 + index of predicted_rows_
  std::vector<Row> predicted_rows_;
  std::vector<Bytes> first_;                        // index: state; empty until it is asked for
  std::vector<Bytes> follow_;                       // index: rule
  StableArray<std::optional<Bytes>, 8> follow_of_;  // index: row
  Closed closed_;
  std::vector<Place> next_;  // of the step in the making
  size_t n_steps_ = 0;       // of known_, all byte classes
};

}  // namespace xg2lab
