// Read: state (is there one like it?), frozen.
// The trick: a state with a loop is like a new one that leads to it wherever it leads to itself.
#include "languages/numbers/state_pool.h"

#include <algorithm>

#include "support/hash.h"

namespace xg2lab {
namespace {

uint64_t hash_of(bool is_accepting, std::span<const StatePool::Edge> edges) {
  uint64_t hash = is_accepting ? 1 : 0;
  for (const StatePool::Edge& edge : edges) {
    hash = hash_combine(hash, (uint64_t{edge.to} << 16) | (uint64_t{edge.lo} << 8) | edge.hi);
  }
  return hash;
}

}  // namespace

bool StatePool::is(uint32_t state, bool is_accepting, std::span<const Edge> edges) const {
  return states_[state].is_accepting == is_accepting &&
         std::ranges::equal(stored(states_[state]), edges);
}

uint32_t StatePool::state(bool is_accepting, const Edges& given) {
  const std::span<const Edge> edges = given.all();
  bool has_loop = false;
  bool leads_on = false;
  for (const Edge& edge : edges) {
    has_loop |= edge.to == kItself;
    leads_on |= edge.to != kItself;
    if (edge.to == kItself || !states_[edge.to].has_loop) continue;
    Edges as_loop;
    for (const Edge& other : edges) {
      as_loop.add(other.lo, other.hi, other.to == edge.to ? kItself : other.to);
    }
    if (is(edge.to, is_accepting, as_loop.all())) return edge.to;
  }
  if (!is_accepting && !leads_on) return kNowhere;

  return index_.find_or_add(
      hash_of(is_accepting, edges), [&](uint32_t known) { return is(known, is_accepting, edges); },
      [&](uint32_t known) { return hash_of(states_[known].is_accepting, stored(states_[known])); },
      [&] {
        const auto begin = static_cast<uint32_t>(edges_.size());
        edges_.insert(edges_.end(), edges.begin(), edges.end());
        states_.push_back({begin, static_cast<uint8_t>(edges.size()), is_accepting, has_loop});
        return static_cast<uint32_t>(states_.size() - 1);
      });
}

std::vector<StatePool::Edge> StatePool::edges(uint32_t state) const {
  const std::span<const Edge> all = stored(states_[state]);
  std::vector<Edge> edges(all.begin(), all.end());
  for (Edge& edge : edges) edge.to = edge.to == kItself ? state : edge.to;
  return edges;
}

FrozenFsm StatePool::frozen(uint32_t start) const {
  FrozenFsm fsm;
  std::vector<uint32_t> number(states_.size(), kNowhere);
  std::vector<uint32_t> order;
  const auto visit = [&](uint32_t state) {
    if (number[state] == kNowhere) {
      number[state] = static_cast<uint32_t>(order.size());
      order.push_back(state);
    }
    return StateId(number[state]);
  };
  if (start != kNowhere) visit(start);
  for (size_t i = 0; i < order.size(); ++i) {
    fsm.terminal_begin.push_back(static_cast<uint32_t>(fsm.terminal_edges.size()));
    fsm.is_accepting.push_back(states_[order[i]].is_accepting);
    for (const Edge& edge : stored(states_[order[i]])) {
      const StateId to = visit(edge.to == kItself ? order[i] : edge.to);
      fsm.terminal_edges.push_back({{edge.lo, edge.hi}, to, OriginSetId(0u)});
    }
  }
  if (order.empty()) {
    fsm.terminal_begin.push_back(0);
    fsm.is_accepting.push_back(false);
  }
  fsm.terminal_begin.push_back(static_cast<uint32_t>(fsm.terminal_edges.size()));
  fsm.rule_begin.assign(fsm.terminal_begin.size(), 0);
  return fsm;
}

}  // namespace xg2lab
