// Sets of places inside rules with numbered slots instead of origins: the states of a lexer's DFA.
//
// Tests: tests/core/test_column_table.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   Consider a set of items inside rules, none of them before a call. Scanning a byte moves each
//   item within its rule and does not look at origins. So the step of such a set is computed once
//   for all contexts. A *slot* is a number that represents an origin: items with equal origins have
//   equal slots. A column is then a set and the origin for each slot.
//
//     root ::= "if" | "in" | name   name ::= [a-z]+
//     after "i" the set is {i.f, i.n, name}; scanning "f" makes {name}, and completes "if" and name
//
// THREADS   under the table's mutex. places() needs no lock if the set's id was read from a
//           published column.
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
    bool meets_call = false;   // a scanned place is before a call: `next` is not computed
    Id next = kNone;           // kNone: no place can scan further, or meets_call
    std::vector<Slot> slots;   // index: slot of `next`; value: slot of the same origin before
    std::vector<Ended> ended;  // ascending
  };

  explicit InnerSets(const Program& program) : program_(program) {}

  // The id of a set. Its slots must be numbered from 0, in any order.
  Id of(const Places& places);
  const Places& places(Id id) const { return sets_[id]; }
  const Step& step(Id id, uint8_t byte);
  size_t memory_size_bytes() const {
    return sets_.memory_size_bytes() + rows_.memory_size_bytes() + steps_.memory_size_bytes() +
           n_owned_bytes_;
  }

 private:
  using Row = std::vector<uint32_t>;  // index: byte class; 1 + index of steps_, 0 if unknown
  Step find_step(const Places& places, uint8_t byte);

  const Program& program_;
  Interned<Place> sets_;
  StableArray<Row, 8> rows_;  // index: set
  StableArray<Step, 8> steps_;
  size_t n_owned_bytes_ = 0;  // memory of the vectors inside rows_ and steps_
};

}  // namespace xg2lab
