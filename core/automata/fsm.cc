// Building, trimming and freezing machines.
// Read: OriginSets, Fsm's edges, then freeze: reachable, co-reachable, renumber, write the rows.
// The trick: co-reachability is one backward search over edges bucketed by target.
#include "automata/fsm.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "support/error.h"

namespace xg2lab {

// ---- Origin sets: interned, so that edges stay small ----

OriginSetId OriginSets::single(uint32_t origin) {
  if (origin >= single_of_origin_.size()) single_of_origin_.resize(origin + 1, 0);
  uint32_t& known = single_of_origin_[origin];
  if (known == 0) {
    known = static_cast<uint32_t>(sets_.size());
    sets_.push_back({origin});
  }
  return OriginSetId(known);
}

OriginSetId OriginSets::unite(OriginSetId a, OriginSetId b) {
  if (a == b || b == none()) return a;
  if (a == none()) return b;
  const auto key = std::minmax(a.value, b.value);
  auto found = unions_.find(key);
  if (found != unions_.end()) return found->second;
  std::vector<uint32_t> members;
  const auto& left = sets_[a.index()];
  const auto& right = sets_[b.index()];
  std::set_union(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(members));
  OriginSetId id;
  if (members == left) {
    id = a;
  } else if (members == right) {
    id = b;
  } else if (auto known = known_.find(members); known != known_.end()) {
    id = known->second;
  } else {
    id = OriginSetId(sets_.size());
    known_.emplace(members, id);
    sets_.push_back(std::move(members));
  }
  unions_.emplace(key, id);
  return id;
}

OriginSetId OriginSets::unite(std::vector<OriginSetId> all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  constexpr size_t kFew = 3;  // pairs are remembered
  if (all.size() <= kFew) {
    OriginSetId united = none();
    for (const OriginSetId id : all) united = unite(united, id);
    return united;
  }
  std::vector<uint32_t> members;
  for (const OriginSetId id : all) {
    const auto& more = sets_[id.index()];
    members.insert(members.end(), more.begin(), more.end());
  }
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  for (const OriginSetId id : all) {
    if (sets_[id.index()].size() == members.size()) return id;
  }
  const auto [known, is_new] = known_.try_emplace(std::move(members), OriginSetId(sets_.size()));
  if (is_new) sets_.push_back(known->first);
  return known->second;
}

// ---- The builder ----

StateId Fsm::add_state() {
  states_.emplace_back();
  return StateId(states_.size() - 1);
}

void Fsm::add_terminal(StateId from, ByteRange range, StateId to, OriginSetId origins) {
  states_[from.index()].terminal_edges.push_back({range, to, origins});
}

void Fsm::add_rule(StateId from, RuleId rule, StateId to, OriginSetId origins) {
  states_[from.index()].rule_edges.push_back({rule, to, origins});
}

void Fsm::add_epsilon(StateId from, StateId to) {
  if (from != to) states_[from.index()].epsilon_edges.push_back(to);
}

// ---- Freezing ----

std::span<const TerminalEdge> FrozenFsm::terminals(StateId state) const {
  const uint32_t begin = terminal_begin[state.index()];
  return {terminal_edges.data() + begin, terminal_begin[state.index() + 1] - begin};
}

std::span<const RuleEdge> FrozenFsm::rules(StateId state) const {
  const uint32_t begin = rule_begin[state.index()];
  return {rule_edges.data() + begin, rule_begin[state.index() + 1] - begin};
}

void FrozenFsm::check_invariants() const {
  XG2LAB_ASSERT(n_states() > 0, "I1: a frozen machine has a start state");
  for (size_t s = 0; s < n_states(); ++s) {
    const auto edges = terminals(StateId(s));
    for (size_t i = 1; i < edges.size(); ++i) {
      XG2LAB_ASSERT(edges[i - 1].range.lo <= edges[i].range.lo, "I3: terminal edges are sorted");
      XG2LAB_ASSERT(!is_deterministic || edges[i - 1].range.hi < edges[i].range.lo,
                    "I4: terminal edges of a deterministic state are disjoint");
    }
    const auto calls = rules(StateId(s));
    for (size_t i = 1; i < calls.size(); ++i) {
      XG2LAB_ASSERT(!is_deterministic || calls[i - 1].rule != calls[i].rule,
                    "I4: rules of a deterministic state differ");
    }
  }
}

namespace {

std::vector<bool> states_that_can_accept(const Fsm& fsm) {
  const size_t n = fsm.n_states();
  std::vector<std::vector<uint32_t>> sources(n);
  std::vector<bool> can_accept(n, false);
  std::vector<uint32_t> agenda;
  for (size_t s = 0; s < n; ++s) {
    const Fsm::State& state = fsm.state(StateId(s));
    for (const auto& edge : state.terminal_edges)
      sources[edge.to.index()].push_back(static_cast<uint32_t>(s));
    for (const auto& edge : state.rule_edges)
      sources[edge.to.index()].push_back(static_cast<uint32_t>(s));
    if (state.is_accepting) {
      can_accept[s] = true;
      agenda.push_back(static_cast<uint32_t>(s));
    }
  }
  while (!agenda.empty()) {
    const uint32_t state = agenda.back();
    agenda.pop_back();
    for (uint32_t source : sources[state]) {
      if (can_accept[source]) continue;
      can_accept[source] = true;
      agenda.push_back(source);
    }
  }
  return can_accept;
}

// Edges that `absorbs` takes into the one before. Origins are united once: thousands of literals may end in one edge.
template <class Edge, class Absorbs>
std::vector<Edge> joined(const std::vector<Edge>& edges, const Absorbs& absorbs,
                         OriginSets& origins) {
  std::vector<Edge> all;
  std::vector<OriginSetId> from;
  const auto close = [&] {
    if (from.size() > 1) all.back().origins = origins.unite(std::exchange(from, {}));
    from.clear();
  };
  for (const Edge& edge : edges) {
    if (all.empty() || !absorbs(all.back(), edge)) {
      close();
      all.push_back(edge);
    }
    from.push_back(edge.origins);
  }
  close();
  return all;
}

// One state's edges to surviving states, sorted; duplicates and neighbouring ranges joined.
std::vector<TerminalEdge> tidy_terminals(const Fsm::State& state, const std::vector<bool>& alive,
                                         OriginSets& origins) {
  std::vector<TerminalEdge> edges;
  for (const auto& edge : state.terminal_edges) {
    if (alive[edge.to.index()]) edges.push_back(edge);
  }
  std::sort(edges.begin(), edges.end(), [](const TerminalEdge& a, const TerminalEdge& b) {
    return std::tie(a.to, a.range.lo, a.range.hi) < std::tie(b.to, b.range.lo, b.range.hi);
  });
  return joined(
      edges,
      [](TerminalEdge& last, const TerminalEdge& edge) {
        if (last.to != edge.to || edge.range.lo > last.range.hi + 1) return false;
        last.range.hi = std::max(last.range.hi, edge.range.hi);
        return true;
      },
      origins);
}

std::vector<RuleEdge> tidy_rules(const Fsm::State& state, const std::vector<bool>& alive,
                                 OriginSets& origins) {
  std::vector<RuleEdge> edges;
  for (const auto& edge : state.rule_edges) {
    if (alive[edge.to.index()]) edges.push_back(edge);
  }
  std::sort(edges.begin(), edges.end(), [](const RuleEdge& a, const RuleEdge& b) {
    return std::tie(a.rule, a.to) < std::tie(b.rule, b.to);
  });
  return joined(
      edges,
      [](const RuleEdge& last, const RuleEdge& edge) {
        return last.rule == edge.rule && last.to == edge.to;
      },
      origins);
}

bool edges_are_deterministic(std::span<const TerminalEdge> terminals,
                             std::span<const RuleEdge> rules) {
  for (size_t i = 1; i < terminals.size(); ++i) {
    if (terminals[i - 1].range.hi >= terminals[i].range.lo) return false;
  }
  for (size_t i = 1; i < rules.size(); ++i) {
    if (rules[i - 1].rule == rules[i].rule) return false;
  }
  return true;
}

}  // namespace

FrozenFsm freeze(const Fsm& fsm, OriginSets& origins) {
  const std::vector<bool> alive = states_that_can_accept(fsm);
  constexpr uint32_t kUnnumbered = UINT32_MAX;
  std::vector<uint32_t> number(fsm.n_states(), kUnnumbered);
  std::vector<uint32_t> order{0};
  number[0] = 0;
  auto visit = [&](StateId to) {
    if (number[to.index()] == kUnnumbered) {
      number[to.index()] = static_cast<uint32_t>(order.size());
      order.push_back(to.value);
    }
    return StateId(number[to.index()]);
  };

  FrozenFsm frozen;
  for (size_t i = 0; i < order.size(); ++i) {
    const Fsm::State& state = fsm.state(StateId(order[i]));
    frozen.terminal_begin.push_back(static_cast<uint32_t>(frozen.terminal_edges.size()));
    frozen.rule_begin.push_back(static_cast<uint32_t>(frozen.rule_edges.size()));
    frozen.is_accepting.push_back(state.is_accepting);
    std::vector<TerminalEdge> terminals = tidy_terminals(state, alive, origins);
    // By byte first: breadth-first numbers then follow the bytes, whatever order the builder had.
    std::sort(terminals.begin(), terminals.end(), [](const TerminalEdge& a, const TerminalEdge& b) {
      return std::tie(a.range.lo, a.range.hi, a.to) < std::tie(b.range.lo, b.range.hi, b.to);
    });
    for (TerminalEdge& edge : terminals) edge.to = visit(edge.to);
    std::vector<RuleEdge> rules = tidy_rules(state, alive, origins);
    for (RuleEdge& edge : rules) edge.to = visit(edge.to);
    if (!edges_are_deterministic(terminals, rules)) frozen.is_deterministic = false;
    frozen.terminal_edges.insert(frozen.terminal_edges.end(), terminals.begin(), terminals.end());
    frozen.rule_edges.insert(frozen.rule_edges.end(), rules.begin(), rules.end());
  }
  frozen.terminal_begin.push_back(static_cast<uint32_t>(frozen.terminal_edges.size()));
  frozen.rule_begin.push_back(static_cast<uint32_t>(frozen.rule_edges.size()));
  return frozen;
}

}  // namespace xg2lab
