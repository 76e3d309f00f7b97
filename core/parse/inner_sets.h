// Sets of places within rules, their origins left blank: what a lexer's automaton has for states.
//
// Tests: tests/core/test_column_table.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   Items of a column that stand within their rules, before no call, go on together, wherever they
//   began. How such a set goes on by a byte is the same in all contexts; it is found once. Origins
//   are told apart by *slots*: numbers that stand for them, so that a column is a set and the
//   origins for its slots.
//
//     root ::= "if" | "in" | name   name ::= [a-z]+
//     after "i": {i.f, i.n, name}; by f: {name}, and "if" and name have ended
//
// THREADS   under the table's mutex; but for places(): anyone who knows the set from a column that
//           is published.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "program/program.h"
#include "support/interned.h"
#include "support/stable_array.h"

namespace xg2lab {

class InnerSets {
 public:
  using Id = uint32_t;
  using Slot = uint32_t;
  static constexpr Id kNone = UINT32_MAX;
  struct Place {
    StateId state;
    RuleId goal;
    Slot slot;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  using Places = std::vector<Place>;  // ascending
  struct Ended {
    RuleId goal;
    Slot slot;
    friend auto operator<=>(const Ended&, const Ended&) = default;
  };

  struct Step {
    bool meets_call = false;   // a place comes before a call: what it is about is not here
    Id next = kNone;           // none: nothing goes on
    std::vector<Slot> slots;   // index: slot of `next`. The slot that it was before
    std::vector<Ended> ended;  // ascending
  };

  explicit InnerSets(const Program& program) : program_(program) {}

  // Slots are numbered from 0, in any order.
  Id of(const Places& places);
  const Places& places(Id id) const { return sets_[id]; }
  const Step& step(Id id, uint8_t byte);
  size_t memory_size_bytes() const {
    return sets_.memory_size_bytes() + rows_.memory_size_bytes() + steps_.memory_size_bytes() +
           n_owned_bytes_;
  }

 private:
  using Row = std::vector<uint32_t>;  // index: byte class. 1 + index of steps_; 0: not known
  Step find_step(const Places& places, uint8_t byte);

  const Program& program_;
  Interned<Place> sets_;
  StableArray<Row, 8> rows_;  // index: set
  StableArray<Step, 8> steps_;
  size_t n_owned_bytes_ = 0;  // of what rows and steps hold
};

}  // namespace xg2lab
