// The states of a trie walk, numbered in a transition table, so that most steps of the walk are
// look-ups.
//
// Tests: tests/core/test_long_walks.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   A walk of the vocabulary visits up to 275,000 trie nodes, in the few states that a pattern has.
//   The state that a byte leads to, and the verdict on the nodes entered by the byte, depend on the
//   state and the byte alone, so both are computed once. For each node the walk then reads the
//   node, looks up a row, and writes a number by depth. A state of the walk (WalkState, or a
//   column) is none of the program's states, which StateId names.
//
//     [a-z]{3,8} "\""   about 9 states: a column for each count, and the column after the quote
//
// REPRESENTATION
//   A *move* is the element of a state's row for a byte class. Its lower 24 bits hold the number of
//   the state that the byte leads to. Its upper bits hold the verdict on the nodes that are entered
//   by the byte (trie_walker.h).
//
// INVARIANTS
//   I1  all states differ; state 0 is the dead one
//
// COST      a known move: two loads.
// THREADS   of one walk.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "mask/walk/trie_walker.h"
#include "program/program.h"
#include "support/hash.h"
#include "support/index_table.h"

namespace xg2lab {

using Move = uint32_t;

// `State` needs == and hash_of(state).
template <class State>
class TransitionTable {
 public:
  static constexpr Verdict verdict(Move move) { return move >> kVerdictShift; }

  static constexpr Move kDeadMove = 0;  // to state 0
  static constexpr Move kUnknown = kUnresolved << 24 | 0xFFFFFF;
  // The byte is read, but the state that it leads to has not been made.
  static constexpr Move kAlive = kUnresolved << 24 | 0xFFFFFE;
  // The byte is read at a leaf of the trie: the node is accepted, and no state is needed.
  static constexpr Move kLeaf = kAccepted << 24 | 0xFFFFFE;

  TransitionTable(const Program& program, const State& dead)
      : program_(program),
        dead_(dead),
        row_shift_(static_cast<uint32_t>(std::bit_width(program.n_byte_classes() - 1))) {
    clear();
  }

  // Removes all states but the dead one. The memory is kept for later walks.
  void clear() {
    states_.clear();
    verdicts_.clear();
    rows_.clear();
    index_.clear();
    move_to(dead_, [](const State&) { return kDeadEnd; });
  }

  const State& at(Move move) const { return states_[move & kNumber]; }

  // The move by a byte from the state that `from` leads to. Its verdict is kUnresolved if the move
  // is not known.
  Move next(Move from, uint8_t byte) const {
    return rows_[(static_cast<size_t>(from & kNumber) << row_shift_) + program_.byte_class(byte)];
  }
  void set_next(Move from, uint8_t byte, Move to) {
    rows_[(static_cast<size_t>(from & kNumber) << row_shift_) + program_.byte_class(byte)] = to;
  }

  // The move that leads to `state`; verdict_on(state) is called if the state is new.
  template <class VerdictOn>
  Move move_to(const State& state, VerdictOn verdict_on) {
    const uint64_t hash = hash_of(state);
    const auto is_it = [&](uint32_t number) { return states_[number] == state; };
    if (const auto known = index_.find(hash, is_it)) return move(*known);
    const auto number = static_cast<uint32_t>(states_.size());
    states_.push_back(state);
    verdicts_.push_back(static_cast<uint8_t>(verdict_on(state)));
    rows_.resize(rows_.size() + (size_t{1} << row_shift_), kUnknown);
    index_.insert(hash, number, [this](uint32_t known) { return hash_of(states_[known]); });
    return move(number);
  }

  // From now on each node that a move to this state enters is decided by itself.
  void look_closer_at(Move state) {
    const uint32_t number = state & kNumber;
    const Move before = move(number);
    verdicts_[number] = static_cast<uint8_t>(kLooksCloser);
    std::ranges::replace(rows_, before, move(number));
  }

 private:
  static constexpr uint32_t kVerdictShift = 24;
  static constexpr uint32_t kNumber = (uint32_t{1} << kVerdictShift) - 1;

  Move move(uint32_t number) const {
    return number | static_cast<uint32_t>(verdicts_[number]) << kVerdictShift;
  }

  const Program& program_;
  const State dead_;
  const uint32_t row_shift_;
  std::vector<State> states_;
  std::vector<uint8_t> verdicts_;  // index: state
  std::vector<Move> rows_;         // of 2^row_shift_ classes each
  IndexTable index_;
};

inline uint64_t hash_of(ColumnId column) { return hash_combine(column.value, 0); }

}  // namespace xg2lab
