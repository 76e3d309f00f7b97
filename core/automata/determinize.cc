// Read: EpsilonClosure, RangeCutter, Subsets (sets of states and their numbers), determinize,
// remove_epsilon. The trick: the ranges of a set are cut by one sweep over their sorted boundaries;
// usually the ranges are disjoint and need no cut.
#include "automata/determinize.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "support/budget.h"
#include "support/interned_rows.h"
#include "support/sort_unique.h"

namespace xg2lab {
namespace {

using StateSet = std::vector<uint32_t>;  // sorted

// For a state whose only edge is an epsilon edge, as behind ("a" ("b" ("c" ...)?)?)?: the end of
// the chain of such edges, so that following a chain is one step. For other states: the state
// itself.
std::vector<uint32_t> ends_of_chains(const Fsm& fsm) {
  const auto n_states = static_cast<uint32_t>(fsm.n_states());
  std::vector<uint32_t> end(n_states);
  std::iota(end.begin(), end.end(), 0u);
  for (uint32_t s = 0; s < n_states; ++s) {
    const Fsm::State state = fsm.state(StateId(s));
    const bool reads = !state.terminal_edges.empty() || !state.rule_edges.empty();
    if (reads || state.is_accepting || state.epsilon_edges.empty()) continue;
    const bool is_only = std::next(state.epsilon_edges.begin()) == state.epsilon_edges.end();
    if (is_only) end[s] = state.epsilon_edges.begin()->value;
  }
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t> seen(n_states, kNew);
  std::vector<uint32_t> chain;
  for (uint32_t s = 0; s < n_states; ++s) {
    chain.clear();
    uint32_t at = s;
    for (; seen[at] == kNew && end[at] != at; at = end[at]) {
      seen[at] = kOpen;
      chain.push_back(at);
    }
    if (seen[at] == kOpen) end[at] = at;  // an epsilon cycle
    for (const uint32_t passed : chain) {
      end[passed] = end[at];
      seen[passed] = kDone;
    }
  }
  return end;
}

// Where many chains end in one state, each state of theirs is replaced by it. Otherwise (r1 | r2 |
// ... | rn)* would have n states with the n edges of the loop each.
std::vector<uint32_t> taken_for(std::span<const uint32_t> end_of_chain) {
  constexpr uint32_t kCrowd = 64;
  std::vector<uint32_t> n_chains(end_of_chain.size(), 0);
  for (const uint32_t end : end_of_chain) ++n_chains[end];
  std::vector<uint32_t> taken(end_of_chain.size());
  for (uint32_t s = 0; s < taken.size(); ++s)
    taken[s] = n_chains[end_of_chain[s]] > kCrowd ? end_of_chain[s] : s;
  return taken;
}

class EpsilonClosure {
 public:
  explicit EpsilonClosure(const Fsm& fsm)
      : fsm_(fsm),
        end_of_chain_(ends_of_chains(fsm)),
        taken_for_(xg2lab::taken_for(end_of_chain_)),
        seen_(fsm.n_states(), 0) {}

  // Closes `set` under epsilon edges, in place, and sorts it.
  void close(StateSet& set) {
    // stamp_ marks the members of the current set, so seen_ need not be cleared between sets.
    ++stamp_;
    size_t n_kept = 0;
    for (const uint32_t state : set) {
      // A chain of states that only lead on is replaced by its end where many chains meet there
      // (taken_for).
      const uint32_t taken = taken_for_[state];
      if (std::exchange(seen_[taken], stamp_) != stamp_) set[n_kept++] = taken;
    }
    set.resize(n_kept);
    n_reads_ += n_kept;
    if (n_kept == 1 && fsm_.state(StateId(set.front())).epsilon_edges.empty()) return;
    for (size_t i = 0; i < set.size(); ++i) {
      for (StateId to : fsm_.state(StateId(set[i])).epsilon_edges) {
        const uint32_t end = end_of_chain_[to.index()];
        ++n_reads_;
        if (std::exchange(seen_[end], stamp_) != stamp_) set.push_back(end);
      }
    }
    std::sort(set.begin(), set.end());
  }
  size_t n_reads() const { return n_reads_; }
  StateId taken_for(StateId state) const { return StateId(taken_for_[state.index()]); }

 private:
  const Fsm& fsm_;
  const std::vector<uint32_t> end_of_chain_;
  const std::vector<uint32_t> taken_for_;
  std::vector<uint32_t> seen_;
  size_t n_reads_ = 0;
  uint32_t stamp_ = 0;
};

// Cuts overlapping ranges into disjoint ranges, each with the targets of all ranges that cover it.
class RangeCutter {
 public:
  // Calls use(range, targets, origins) for each range, ascending; the callback may change `targets`
  // and `origins`. Sorts `edges`.
  template <class F>
  void cut(std::vector<TerminalEdge>& edges, F use) {
    const auto by_first = [](const TerminalEdge& a, const TerminalEdge& b) {
      return a.range.lo < b.range.lo;
    };
    if (!std::is_sorted(edges.begin(), edges.end(), by_first))
      std::stable_sort(edges.begin(), edges.end(), by_first);
    for (size_t begin = 0; begin < edges.size();) {
      size_t end = begin + 1;  // of a run of overlapping ranges
      int last = edges[begin].range.hi;
      while (end < edges.size() && edges[end].range.lo <= last) {
        last = std::max<int>(last, edges[end].range.hi);
        ++end;
      }
      if (end == begin + 1) {
        targets_.assign(1, edges[begin].to.value);
        origins_.assign(1, edges[begin].origins);
        use(edges[begin].range, targets_, origins_);
      } else {
        cut_run({edges.data() + begin, end - begin}, use);
      }
      begin = end;
    }
  }

 private:
  template <class F>
  void cut_run(std::span<const TerminalEdge> run, F use) {
    // Between two neighbouring boundaries the same edges cover every byte, so each piece has one
    // set of targets. open_ holds the edges that cover the current piece.
    bounds_.clear();
    for (const TerminalEdge& edge : run) {
      bounds_.push_back(edge.range.lo);
      bounds_.push_back(edge.range.hi + 1);
    }
    sort_unique(bounds_);
    open_.clear();
    size_t next = 0;
    for (size_t i = 0; i + 1 < bounds_.size(); ++i) {
      const int lo = bounds_[i];
      std::erase_if(open_, [&](const TerminalEdge* edge) { return edge->range.hi < lo; });
      for (; next < run.size() && run[next].range.lo == lo; ++next) open_.push_back(&run[next]);
      targets_.clear();
      origins_.clear();
      for (const TerminalEdge* edge : open_) {
        targets_.push_back(edge->to.value);
        origins_.push_back(edge->origins);
      }
      const ByteRange range{static_cast<uint8_t>(lo), static_cast<uint8_t>(bounds_[i + 1] - 1)};
      use(range, targets_, origins_);
    }
  }

  std::vector<int> bounds_;
  std::vector<const TerminalEdge*> open_;  // edges that cover the current range
  StateSet targets_;
  std::vector<OriginSetId> origins_;
};

// The states of the result: epsilon-closed sets of states of the source, numbered in the order of
// discovery.
class Subsets {
 public:
  explicit Subsets(const Fsm& fsm)
      : fsm_(fsm),
        closure_(fsm),
        of_closed_single_(fsm.n_states(), kUnknown),
        of_single_(fsm.n_states(), kUnknown),
        stands_for_(fsm.n_states(), kUnknown) {}

  // The number of the epsilon closure of `targets`; sorts them.
  StateId of(StateSet& targets) {
    for (uint32_t& target : targets) target = stands_for(target);
    if (targets.size() > 1) sort_unique(targets);
    if (targets.size() == 1) return of_single(StateId(targets.front()));
    const auto [id, is_new] = open_.add(targets);
    mixes_joined_ = mixes_joined_ || (is_new && std::ranges::any_of(targets, [&](uint32_t state) {
                                        return fsm_.state(StateId(state)).is_joined;
                                      }));
    if (is_new) of_open_.push_back(closed(targets));
    return StateId(of_open_[id]);
  }
  StateId of_single(StateId target) {
    target = StateId(stands_for(target.value));
    uint32_t& known = of_single_[target.index()];
    if (known == kUnknown) {
      single_.assign(1, target.value);
      known = closed(single_);
    }
    return StateId(known);
  }
  // Whether a joined state shared a set with other states.
  bool mixes_joined() const { return mixes_joined_; }
  size_t size() const { return sets_.size(); }
  size_t n_reads() const { return closure_.n_reads(); }
  std::span<const uint32_t> operator[](size_t i) const {
    const Set& set = sets_[i];
    return set.is_single ? std::span(&set.value, 1) : larger_[set.value];
  }

 private:
  static constexpr uint32_t kUnknown = UINT32_MAX;

  // Most sets have one state and are found by it; only larger sets are looked up by content.
  struct Set {
    uint32_t value;  // the state, or a row of larger_
    bool is_single;
  };

  // If the state's only edge is an epsilon edge, the state at the end of the chain. So the ends of
  // many alternatives, which all continue with the same part, become one state.
  uint32_t stands_for(uint32_t state) {
    if (stands_for_[state] != kUnknown) return stands_for_[state];
    uint32_t last = state;
    while (stands_for_[last] == kUnknown) {
      stands_for_[last] = last;  // until resolved; breaks cycles
      const auto next = only_step(fsm_.state(StateId(last)));
      if (!next || fsm_.state(*next).is_joined) break;
      last = next->value;
    }
    last = stands_for_[last];
    for (uint32_t at = state; at != last;) {
      stands_for_[at] = last;
      at = (*fsm_.state(StateId(at)).epsilon_edges.begin()).value;
    }
    return last;
  }
  static std::optional<StateId> only_step(const Fsm::State& state) {
    const bool does_more = !state.terminal_edges.empty() || !state.rule_edges.empty() ||
                           state.is_accepting || state.is_joined || state.epsilon_edges.empty();
    if (does_more) return std::nullopt;
    auto edge = state.epsilon_edges.begin();
    const StateId to = *edge;
    return ++edge == state.epsilon_edges.end() ? std::optional(to) : std::nullopt;
  }

  uint32_t closed(StateSet& targets) {
    closure_.close(targets);
    if (targets.size() == 1) {
      uint32_t& known = of_closed_single_[targets.front()];
      if (known == kUnknown) known = add({targets.front(), true});
      return known;
    }
    const auto [row, is_new] = larger_.add(targets);
    if (is_new) of_larger_.push_back(add({row, false}));
    return of_larger_[row];
  }
  uint32_t add(Set set) {
    sets_.push_back(set);
    return static_cast<uint32_t>(sets_.size() - 1);
  }

  const Fsm& fsm_;
  EpsilonClosure closure_;
  std::vector<Set> sets_;
  std::vector<uint32_t> of_closed_single_;  // by state of the source: the number of the set of it
  InternedRows larger_;
  std::vector<uint32_t> of_larger_;  // the number of the set, by row of larger_
  InternedRows open_;              // sets before closing; sets of one state are kept in of_single_
  std::vector<uint32_t> of_open_;  // the number of the closed set, by row of open_
  std::vector<uint32_t> of_single_;  // by state of the source
  StateSet single_;
  std::vector<uint32_t> stands_for_;  // by state of the source
  bool mixes_joined_ = false;
};

}  // namespace

// The limit on reads for a source of this size, see kReadsPerPart.
size_t reads_in_proportion(const Fsm& fsm, size_t n_states) {
  return kReadsPerPart * (n_states + fsm.n_terminals() + fsm.n_rules()) + kReadsBeyond;
}

std::optional<FrozenFsm> determinize(const Fsm& fsm, OriginSets& origins,
                                     const SubsetLimits& limits) {
  Subsets subsets(fsm);
  RangeCutter cutter;
  FrozenFsm rows;
  rows.terminal_edges.reserve(fsm.n_terminals());
  rows.rule_edges.reserve(fsm.n_rules());
  size_t n_taken_together = 0;  // edges merged, and their origins where the union is not cached
  // Counts the members of a union only when the union is new, since a cached union takes no work.
  const auto united = [&](std::vector<OriginSetId>& all) {
    const size_t n_before = origins.size();
    const OriginSetId together = origins.unite(all);
    if (origins.size() > n_before) n_taken_together += origins.members(together).size();
    return together;
  };
  StateSet targets{0};
  std::vector<OriginSetId> from;
  std::vector<TerminalEdge> edges;
  std::vector<RuleEdge> calls;
  subsets.of(targets);
  // The loop visits the states in the order of discovery, and appends their rows in this order. Its
  // limits are checked before each row is written.
  for (size_t i = 0;; ++i) {
    rows.begin_state();
    if (i == subsets.size()) return rows;
    const bool is_within =
        subsets.size() <= limits.n_states && n_taken_together + subsets.n_reads() <= limits.n_reads;
    if (!is_within || subsets.mixes_joined()) return std::nullopt;
    count_work("determinizing a machine", subsets[i].size() + 1);
    edges.clear();
    calls.clear();
    bool is_accepting = false;
    for (uint32_t member : subsets[i]) {
      const Fsm::State state = fsm.state(StateId(member));
      is_accepting = is_accepting || state.is_accepting;
      for (const TerminalEdge& edge : state.terminal_edges) edges.push_back(edge);
      for (const RuleEdge& edge : state.rule_edges) calls.push_back(edge);
    }
    rows.is_accepting.push_back(is_accepting);
    n_taken_together += subsets[i].size() + calls.size();
    count_work("determinizing a machine", edges.size());
    if (edges.size() == 1) {  // the usual case, within a literal
      const StateId to = subsets.of_single(edges.front().to);
      rows.terminal_edges.push_back({edges.front().range, to, edges.front().origins});
    } else {
      cutter.cut(edges, [&](ByteRange range, StateSet& to, std::vector<OriginSetId>& all) {
        n_taken_together += to.size();
        rows.terminal_edges.push_back({range, subsets.of(to), united(all)});
      });
    }
    if (calls.size() > 1)
      std::stable_sort(calls.begin(), calls.end(),
                       [](const RuleEdge& a, const RuleEdge& b) { return a.rule < b.rule; });
    for (size_t begin = 0; begin < calls.size();) {
      const RuleId rule = calls[begin].rule;
      targets.clear();
      from.clear();
      for (; begin < calls.size() && calls[begin].rule == rule; ++begin) {
        targets.push_back(calls[begin].to.value);
        from.push_back(calls[begin].origins);
      }
      rows.rule_edges.push_back({rule, subsets.of(targets), united(from)});
    }
  }
}

// Each state gets the edges of its epsilon closure, so the number of edges may grow by the size of
// the closures.
std::optional<Fsm> remove_epsilon(const Fsm& fsm, size_t max_edges) {
  EpsilonClosure closure(fsm);
  Fsm result;
  for (size_t i = 0; i < fsm.n_states(); ++i) result.add_state();
  StateSet set;
  for (size_t i = 0; i < fsm.n_states(); ++i) {
    if (i % 256 == 0) check_budget("removing epsilon edges");
    if (result.n_terminals() + result.n_rules() > max_edges) return std::nullopt;
    set.assign(1, static_cast<uint32_t>(i));
    closure.close(set);
    for (uint32_t member : set) {
      const Fsm::State state = fsm.state(StateId(member));
      if (state.is_accepting) result.set_accepting(StateId(i));
      for (const auto& edge : state.terminal_edges)
        result.add_terminal(StateId(i), edge.range, closure.taken_for(edge.to), edge.origins);
      for (const auto& edge : state.rule_edges)
        result.add_rule(StateId(i), edge.rule, closure.taken_for(edge.to), edge.origins);
    }
  }
  return result;
}

}  // namespace xg2lab
