// The strongly connected components of a machine, each after all components that it leads to.
//
// EXAMPLE   "a" [0-9]* "b": first the end; then the state before "b", which has a self-loop; then
//           the start.
// COST      O(states + edges).   SEE ALSO  Tarjan 1972.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "automata/fsm.h"

namespace xg2lab {

// Covers the states reachable from the start. In visit(states), `states` is valid during the call
// and may be reordered.
template <class Visit>
void for_each_component(const FrozenFsm& rows, Visit visit) {
  struct Open {
    uint32_t state;
    uint32_t next_edge;
    uint32_t lowest;  // the least number that its subtree leads back to
    uint32_t n_met;   // states met before it
  };
  constexpr uint32_t kNew = 0;
  constexpr uint32_t kDone = UINT32_MAX;
  std::vector<uint32_t> number(rows.n_states(), kNew);  // from 1 on, in the order of the walk
  std::vector<uint32_t> met;                            // states of components that are still open
  std::vector<Open> open;
  uint32_t n_numbers = 0;
  const auto meet = [&](uint32_t state) {
    number[state] = ++n_numbers;
    open.push_back({state, 0, n_numbers, static_cast<uint32_t>(met.size())});
    met.push_back(state);
  };
  meet(0);
  while (!open.empty()) {
    Open& now = open.back();
    const std::span<const TerminalEdge> terminals = rows.terminals(StateId(now.state));
    const std::span<const RuleEdge> rules = rows.rules(StateId(now.state));
    if (now.next_edge < terminals.size() + rules.size()) {
      const uint32_t edge = now.next_edge++;
      const uint32_t to = edge < terminals.size() ? terminals[edge].to.value
                                                  : rules[edge - terminals.size()].to.value;
      if (number[to] == kNew) meet(to);
      else if (number[to] != kDone) now.lowest = std::min(now.lowest, number[to]);
      continue;
    }
    const Open done = now;
    open.pop_back();
    if (done.lowest < number[done.state]) {
      open.back().lowest = std::min(open.back().lowest, done.lowest);
      continue;
    }
    const std::span<uint32_t> component(met.begin() + done.n_met, met.end());
    for (const uint32_t state : component) number[state] = kDone;
    visit(component);
    met.resize(done.n_met);
  }
}

}  // namespace xg2lab
