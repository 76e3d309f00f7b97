// A minimal byte machine, built from its ends: hash-consing of states.
//
// IDEA
//   A state is determined by whether it accepts and by its edges. The targets of its edges are made
//   first, so a state is looked up by its edges: an equal state that exists is used again. Without
//   cycles longer than a self-loop the machine is minimal, and no minimization pass is needed.
//
// EXAMPLE   [0-9]* after a digit is one state with an edge to itself. An accepting state that leads
//           to this state by every digit is the same state.
//
// INVARIANTS
//   I1  no two states have the same language, and no state has the empty language (kNowhere)
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "automata/fsm.h"
#include "support/index_table.h"

namespace xg2lab {

class StatePool {
 public:
  static constexpr uint32_t kNowhere = UINT32_MAX;
  static constexpr uint32_t kItself = UINT32_MAX - 1;  // as an edge's target

  struct Edge {
    uint8_t lo;
    uint8_t hi;
    uint32_t to;
    friend bool operator==(const Edge&, const Edge&) = default;
  };

  // The edges of a state, added in the order of bytes. Numbers are written with 16 bytes only.
  class Edges {
   public:
    void add(uint8_t lo, uint8_t hi, uint32_t to) {
      if (to == kNowhere) return;
      if (size_ > 0 && edges_[size_ - 1].to == to && edges_[size_ - 1].hi + 1 == lo) {
        edges_[size_ - 1].hi = hi;
      } else {
        edges_[size_++] = {lo, hi, to};
      }
    }
    void add(char byte, uint32_t to) {
      add(static_cast<uint8_t>(byte), static_cast<uint8_t>(byte), to);
    }
    std::span<const Edge> all() const { return {edges_.data(), size_}; }

   private:
    std::array<Edge, 16> edges_;
    size_t size_ = 0;
  };

  uint32_t state(bool is_accepting, const Edges& edges);
  size_t n_states() const { return states_.size(); }
  bool is_accepting(uint32_t state) const { return states_[state].is_accepting; }
  // kItself is written out.
  std::vector<Edge> edges(uint32_t state) const;
  // The machine that begins in `start`, which may be kNowhere.
  FrozenFsm frozen(uint32_t start) const;

 private:
  struct State {
    uint32_t begin;  // in edges_
    uint8_t n_edges;
    bool is_accepting;
    bool has_loop;
  };

  std::span<const Edge> stored(const State& state) const {
    return {edges_.data() + state.begin, state.n_edges};
  }
  bool is(uint32_t state, bool is_accepting, std::span<const Edge> edges) const;

  std::vector<State> states_;
  std::vector<Edge> edges_;
  IndexTable index_;  // of states_
};

}  // namespace xg2lab
