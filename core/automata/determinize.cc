// Read: closure, the cutting of ranges, determinize, remove_epsilon.
// The trick: the ranges of a set are cut by one sweep over their sorted boundaries.
#include "automata/determinize.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "support/deadline.h"
#include "support/hash.h"

namespace xg2lab {
namespace {

using StateSet = std::vector<uint32_t>;  // sorted

struct StateSetHash {
  size_t operator()(const StateSet& set) const {
    uint64_t hash = set.size();
    for (uint32_t state : set) hash = hash_combine(hash, state);
    return hash;
  }
};

class EpsilonClosure {
 public:
  explicit EpsilonClosure(const Fsm& fsm) : fsm_(fsm), seen_(fsm.n_states(), 0) {}

  // Closes `set` in place and sorts it.
  void close(StateSet& set) {
    ++stamp_;
    for (uint32_t state : set) seen_[state] = stamp_;
    for (size_t i = 0; i < set.size(); ++i) {
      for (StateId to : fsm_.state(StateId(set[i])).epsilon_edges) {
        if (seen_[to.index()] == stamp_) continue;
        seen_[to.index()] = stamp_;
        set.push_back(to.value);
      }
    }
    std::sort(set.begin(), set.end());
  }

 private:
  const Fsm& fsm_;
  std::vector<uint32_t> seen_;
  uint32_t stamp_ = 0;
};

void sort_unique(StateSet& set) {
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
}

struct CutRange {
  ByteRange range;
  StateSet targets;
  OriginSetId origins;
};

// Cuts overlapping ranges into disjoint ones, each with all its targets.
std::vector<CutRange> cut_ranges(const std::vector<TerminalEdge>& edges, OriginSets& origins) {
  std::vector<int> bounds;
  for (const TerminalEdge& edge : edges) {
    bounds.push_back(edge.range.lo);
    bounds.push_back(edge.range.hi + 1);
  }
  std::sort(bounds.begin(), bounds.end());
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  std::vector<CutRange> cuts;
  std::vector<OriginSetId> from;
  for (size_t i = 0; i + 1 < bounds.size(); ++i) {
    CutRange cut;
    from.clear();
    cut.range = {static_cast<uint8_t>(bounds[i]), static_cast<uint8_t>(bounds[i + 1] - 1)};
    for (const TerminalEdge& edge : edges) {
      if (edge.range.lo <= cut.range.lo && cut.range.hi <= edge.range.hi) {
        cut.targets.push_back(edge.to.value);
        from.push_back(edge.origins);
      }
    }
    if (cut.targets.empty()) continue;
    sort_unique(cut.targets);
    cut.origins = origins.unite(from);
    cuts.push_back(std::move(cut));
  }
  return cuts;
}

}  // namespace

std::optional<Fsm> determinize(const Fsm& fsm, OriginSets& origins, size_t max_states) {
  EpsilonClosure closure(fsm);
  std::unordered_map<StateSet, uint32_t, StateSetHash> number;
  std::vector<const StateSet*> sets;  // keys of `number`, whose addresses are stable
  Fsm result;
  auto visit = [&](StateSet set) {
    closure.close(set);
    auto [entry, is_new] = number.emplace(std::move(set), static_cast<uint32_t>(sets.size()));
    if (is_new) {
      sets.push_back(&entry->first);
      result.add_state();
    }
    return StateId(entry->second);
  };

  visit({0});
  std::vector<TerminalEdge> edges;
  for (size_t i = 0; i < sets.size(); ++i) {
    if (sets.size() > max_states) return std::nullopt;
    if (i % 256 == 0) check_deadline("determinize");
    const StateSet& set = *sets[i];
    edges.clear();
    std::map<uint32_t, std::pair<StateSet, std::vector<OriginSetId>>> calls;
    for (uint32_t member : set) {
      const Fsm::State& state = fsm.state(StateId(member));
      if (state.is_accepting) result.set_accepting(StateId(i));
      edges.insert(edges.end(), state.terminal_edges.begin(), state.terminal_edges.end());
      for (const RuleEdge& edge : state.rule_edges) {
        auto& [targets, from] = calls[edge.rule.value];
        targets.push_back(edge.to.value);
        from.push_back(edge.origins);
      }
    }
    for (CutRange& cut : cut_ranges(edges, origins)) {
      const StateId to = visit(std::move(cut.targets));
      result.add_terminal(StateId(i), cut.range, to, cut.origins);
    }
    for (auto& [rule, call] : calls) {
      sort_unique(call.first);
      const StateId to = visit(std::move(call.first));
      result.add_rule(StateId(i), RuleId(rule), to, origins.unite(std::move(call.second)));
    }
  }
  return result;
}

Fsm remove_epsilon(const Fsm& fsm) {
  EpsilonClosure closure(fsm);
  Fsm result;
  for (size_t i = 0; i < fsm.n_states(); ++i) result.add_state();
  for (size_t i = 0; i < fsm.n_states(); ++i) {
    StateSet set{static_cast<uint32_t>(i)};
    closure.close(set);
    for (uint32_t member : set) {
      const Fsm::State& state = fsm.state(StateId(member));
      if (state.is_accepting) result.set_accepting(StateId(i));
      for (const auto& edge : state.terminal_edges)
        result.add_terminal(StateId(i), edge.range, edge.to, edge.origins);
      for (const auto& edge : state.rule_edges)
        result.add_rule(StateId(i), edge.rule, edge.to, edge.origins);
    }
  }
  return result;
}

}  // namespace xg2lab
