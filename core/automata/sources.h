// For each state of a machine, the sources of its incoming edges.
//
// COST      two passes over the edges; all lists share one array.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "automata/fsm.h"

namespace xg2lab {

class Sources {
 public:
  // Ignores epsilon edges.
  explicit Sources(const Fsm& fsm)
      : Sources(fsm.n_states(), [&fsm](auto f) {
          for (uint32_t s = 0; s < fsm.n_states(); ++s) {
            const Fsm::State state = fsm.state(StateId(s));
            for (const TerminalEdge& edge : state.terminal_edges) f(s, edge.to.value);
            for (const RuleEdge& edge : state.rule_edges) f(s, edge.to.value);
          }
        }) {}
  explicit Sources(const FrozenFsm& fsm)
      : Sources(fsm.n_states(), [&fsm](auto f) {
          for (uint32_t s = 0; s < fsm.n_states(); ++s) {
            for (const TerminalEdge& edge : fsm.terminals(StateId(s))) f(s, edge.to.value);
            for (const RuleEdge& edge : fsm.rules(StateId(s))) f(s, edge.to.value);
          }
        }) {}

  // for_each_edge(f) calls f(from, to) for each edge, in the same order each time.
  template <class ForEachEdge>
  Sources(size_t n_states, ForEachEdge for_each_edge) : begin_(n_states + 2, 0) {
    for_each_edge([this](uint32_t, uint32_t to) { ++begin_[to + 2]; });
    for (size_t i = 2; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    sources_.resize(begin_.back());
    for_each_edge([this](uint32_t from, uint32_t to) { sources_[begin_[to + 1]++] = from; });
  }

  // One entry for each edge: a state with several edges to `state` is listed as often.
  std::span<const uint32_t> of(uint32_t state) const {
    return {sources_.data() + begin_[state], begin_[state + 1] - begin_[state]};
  }

 private:
  std::vector<uint32_t> begin_;
  std::vector<uint32_t> sources_;
};

// The states from which a state with accepts(state) can be reached.
template <class Accepts>
std::vector<bool> states_that_can_accept(size_t n_states, const Sources& sources, Accepts accepts) {
  std::vector<bool> can_accept(n_states, false);
  std::vector<uint32_t> agenda;
  for (uint32_t s = 0; s < n_states; ++s) {
    if (!accepts(s)) continue;
    can_accept[s] = true;
    agenda.push_back(s);
  }
  while (!agenda.empty()) {
    const uint32_t state = agenda.back();
    agenda.pop_back();
    for (uint32_t source : sources.of(state)) {
      if (can_accept[source]) continue;
      can_accept[source] = true;
      agenda.push_back(source);
    }
  }
  return can_accept;
}

}  // namespace xg2lab
