// A column's items grouped by origin and stored without it, so that contexts share them (LR(0)
// sets).
//
// Tests: tests/differential/test_words.py, tests/differential/test_engine_vs_twin.py,
//        tests/unit/parse_rows.cc
//
// IDEA
//   A *row* is the LR(0) set of a column's items that share one origin: the items that scan, the
//   items that wait, the goals that are complete, and the rules that are called. A scanned byte, a
//   completion or a prediction leads from a row to a row that depends on the program alone. So each
//   such step is computed once and looked up by number: the rows are the states of an LR(0)
//   automaton, made on first use (Aycock and Horspool 2002). A column is then a few rows with their
//   origins (row_columns.h), however many items the rows contain.
//
//     after `f(` the rows are  the item of the call that waits for its arguments, with the origin
//                              of the call; the items that an expression begins with, whose origin
//                              is this column
//
// Rows are closed: an item before a nullable rule is also added behind the rule.
//
// INVARIANTS
//   I1  equal rows have equal numbers; number 0 is the empty row, and the empty list in each table
//   I2  the row of a step contains no item that scans: those items are in the step's `next`
//
// COST      a known step: one look-up.
// THREADS   belongs to its owner's thread.
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
  // An item without its origin and counts.
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
    Id scan = 0;    // places that scan
    Id waits = 0;   // waiting places
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
  // The result of completing goals that began in a column, among the waiting places that began in
  // the same column: the row of the resumed places, and all goals that are complete then.
  struct Return {
    Id row = 0;
    Id goals = 0;
  };

  explicit ItemRows(const Program& program);

  Row row(Id id) const { return rows_[id].empty() ? Row{} : rows_[id].front(); }
  // The ids of a list of places and of waiting places. Both functions sort the list.
  Id scan_of(std::vector<Place>& places);
  Id waits_of(std::vector<Wait>& waits);
  // The bytes that some place of `scan` reads.
  const Bytes& bytes(Id scan) { return known_scan(scan).bytes; }
  // The steps by byte class; those that step() has not computed are kUnknown. The array never
  // moves.
  const Step* steps(Id scan) { return known_scan(scan).steps.get(); }
  Step step(Id scan, uint8_t byte) {
    const Step known = steps(scan)[program_.byte_class(byte)];
    return known.next != Step::kUnknown ? known : find_step(scan, byte);
  }
  // The row of the places predicted for the rules `called`. Its origin is the column in which they
  // are called, so it contains no complete goals.
  Row predicted(Id called);
  // The row of the places that completing the goals resumes among `waits`.
  Id returned(Id waits, Id goals);
  // The same if the waiting places began in the column in which they wait. The goals that the
  // resumed places complete resume places of `waits` again, until no goal is new.
  Return returned_here(Id waits, Id goals);
  Row united(const Row& a, const Row& b);
  Id united_goals(Id a, Id b) { return united(rules_, united_rules_, a, b); }
  // The bytes that may come next after a row, in any context. The set never moves.
  const Bytes& follow(Id row);

  size_t memory_size_bytes() const;
  // Asserts I1 and I2 of all rows and steps known so far. For tests.
  void check_invariants() const;
  // Discards the row that was being built when an exception was thrown.
  void forget_unfinished() { closed_.clear(); }

 private:
  struct Closed {
    std::vector<Place> agenda;
    PairMap known;  // (state, goal) of the agenda's places
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
  Interned<Row> rows_;        // each list contains one row
  std::vector<Known> known_;  // index: scan
  PairMap united_scans_, united_waits_, united_rules_;
  PairMap returned_, returned_here_;
  std::vector<Return> returns_here_;
  PairMap predicted_;  // by (called rules, 0): index of predicted_rows_
  std::vector<Row> predicted_rows_;
  std::vector<Bytes> first_;                        // index: state; empty until follow()
  std::vector<Bytes> follow_;                       // index: rule
  StableArray<std::optional<Bytes>, 8> follow_of_;  // index: row
  Closed closed_;
  std::vector<Place> next_;  // scratch of find_step()
  size_t n_steps_ = 0;       // total number of steps in known_
};

}  // namespace xg2lab
