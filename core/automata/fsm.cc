// Building, trimming and freezing machines.
// Read: OriginSets, Fsm's edges, then freeze: reachable, co-reachable, renumber, write the rows.
#include "automata/fsm.h"

#include <algorithm>
#include <tuple>

#include "automata/join_edges.h"
#include "automata/sources.h"
#include "support/error.h"
#include "support/sort_unique.h"

namespace xg2lab {

// ---- Origin sets: interned, so that edges stay small ----

OriginSetId OriginSets::single(uint32_t origin) {
  if (origin >= single_of_origin_.size()) single_of_origin_.resize(origin + 1, 0);
  uint32_t& known = single_of_origin_[origin];
  if (known == 0) {
    known = static_cast<uint32_t>(sets_.size());
    sets_.push_back({origin, true});
  }
  return OriginSetId(known);
}

OriginSetId OriginSets::unite(OriginSetId a, OriginSetId b) {
  if (a == b || b == none()) return a;
  if (a == none()) return b;
  const uint32_t pair[] = {std::min(a.value, b.value), std::max(a.value, b.value)};
  const auto [row, is_new] = pairs_.add(pair);
  if (!is_new) return of_pair_[row];
  const auto left = members(a);
  const auto right = members(b);
  members_.assign(left.begin(), left.end());
  members_.insert(members_.end(), right.begin(), right.end());
  of_pair_.push_back(of(members_));
  return of_pair_.back();
}

OriginSetId OriginSets::unite(std::vector<OriginSetId>& all) {
  if (all.size() == 1) return all.front();
  sort_unique(all);
  constexpr size_t kFew = 3;  // unions of few sets are cached
  if (all.size() <= kFew) {
    OriginSetId united = none();
    for (const OriginSetId id : all) united = unite(united, id);
    return united;
  }
  members_.clear();
  for (const OriginSetId id : all) {
    const auto more = members(id);
    members_.insert(members_.end(), more.begin(), more.end());
  }
  return of(members_);
}

OriginSetId OriginSets::of(std::vector<uint32_t>& origins) {
  if (origins.size() > 1) sort_unique(origins);
  if (origins.size() == 1) return single(origins.front());
  const auto [row, is_new] = rows_.add(origins);
  if (is_new) {
    of_row_.emplace_back(sets_.size());
    sets_.push_back({row, false});
  }
  return of_row_[row];
}

// ---- Freezing ----

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

// Sorts and joins the edges of one state, without those to dropped states.
class Tidy {
 public:
  Tidy(const std::vector<bool>& alive, OriginSets& origins) : alive_(alive), origins_(origins) {}

  template <class Edge, class Key, class Absorbs>
  void operator()(const Fsm::Edges<Edge>& of_state, Key key, Absorbs absorbs,
                  std::vector<Edge>& out) {
    out.clear();
    for (const Edge& edge : of_state) {
      if (alive_[edge.to.index()]) out.push_back(edge);
    }
    join_edges(out, key, absorbs, origins_, together_);
  }

 private:
  const std::vector<bool>& alive_;
  OriginSets& origins_;
  std::vector<OriginSetId> together_;
};

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
  const std::vector<bool> alive = states_that_can_accept(
      fsm.n_states(), Sources(fsm), [&](uint32_t s) { return fsm.state(StateId(s)).is_accepting; });
  constexpr uint32_t kUnnumbered = UINT32_MAX;
  std::vector<uint32_t> number(fsm.n_states(), kUnnumbered);
  std::vector<uint32_t> order{0};
  order.reserve(fsm.n_states());
  number[0] = 0;
  auto visit = [&](StateId to) {
    if (number[to.index()] == kUnnumbered) {
      number[to.index()] = static_cast<uint32_t>(order.size());
      order.push_back(to.value);
    }
    return StateId(number[to.index()]);
  };
  const auto by_target = [](const TerminalEdge& e) {
    return std::tuple(e.to.value, e.range.lo, e.range.hi);
  };
  const auto by_rule = [](const RuleEdge& e) { return std::pair(e.rule.value, e.to.value); };
  const auto absorbs_range = [](TerminalEdge& last, const TerminalEdge& edge) {
    if (last.to != edge.to || edge.range.lo > last.range.hi + 1) return false;
    last.range.hi = std::max(last.range.hi, edge.range.hi);
    return true;
  };
  const auto absorbs_call = [](const RuleEdge& last, const RuleEdge& edge) {
    return last.rule == edge.rule && last.to == edge.to;
  };
  Tidy tidy(alive, origins);

  FrozenFsm frozen;
  frozen.terminal_begin.reserve(fsm.n_states() + 1);
  frozen.rule_begin.reserve(fsm.n_states() + 1);
  frozen.is_accepting.reserve(fsm.n_states());
  frozen.terminal_edges.reserve(fsm.n_terminals());
  frozen.rule_edges.reserve(fsm.n_rules());
  std::vector<TerminalEdge> terminals;
  std::vector<RuleEdge> rules;
  for (size_t i = 0; i < order.size(); ++i) {
    const Fsm::State state = fsm.state(StateId(order[i]));
    frozen.begin_state();
    frozen.is_accepting.push_back(state.is_accepting);
    tidy(state.terminal_edges, by_target, absorbs_range, terminals);
    // Edges are sorted by byte first, so breadth-first numbers follow the bytes, whatever order the
    // builder used.
    std::sort(terminals.begin(), terminals.end(), [](const TerminalEdge& a, const TerminalEdge& b) {
      return std::tie(a.range.lo, a.range.hi, a.to) < std::tie(b.range.lo, b.range.hi, b.to);
    });
    for (TerminalEdge& edge : terminals) edge.to = visit(edge.to);
    tidy(state.rule_edges, by_rule, absorbs_call, rules);
    for (RuleEdge& edge : rules) edge.to = visit(edge.to);
    if (!edges_are_deterministic(terminals, rules)) frozen.is_deterministic = false;
    frozen.terminal_edges.insert(frozen.terminal_edges.end(), terminals.begin(), terminals.end());
    frozen.rule_edges.insert(frozen.rule_edges.end(), rules.begin(), rules.end());
  }
  frozen.begin_state();
  return frozen;
}

}  // namespace xg2lab
