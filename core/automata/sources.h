// Of each state of a machine, the states with an edge to it; epsilon edges don't count.
//
// COST      two passes over the edges; rows of one array.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "automata/fsm.h"

namespace xg2lab {

class Sources {
 public:
  // Once for each edge: a state that leads to another by several edges is listed as often.
  explicit Sources(const Fsm& fsm) : begin_(fsm.n_states() + 2, 0) {
    for_each_edge(fsm, [this](uint32_t, uint32_t to) { ++begin_[to + 2]; });
    for (size_t i = 2; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    sources_.resize(begin_.back());
    for_each_edge(fsm, [this](uint32_t from, uint32_t to) { sources_[begin_[to + 1]++] = from; });
  }
  std::span<const uint32_t> of(uint32_t state) const {
    return {sources_.data() + begin_[state], begin_[state + 1] - begin_[state]};
  }

 private:
  template <class F>
  static void for_each_edge(const Fsm& fsm, F f) {
    for (uint32_t s = 0; s < fsm.n_states(); ++s) {
      const Fsm::State state = fsm.state(StateId(s));
      for (const TerminalEdge& edge : state.terminal_edges) f(s, edge.to.value);
      for (const RuleEdge& edge : state.rule_edges) f(s, edge.to.value);
    }
  }
  std::vector<uint32_t> begin_;
  std::vector<uint32_t> sources_;
};

}  // namespace xg2lab
