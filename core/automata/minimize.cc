// Read: signature (what must agree), Partition::refine (the loop), minimize (writing the quotient).
#include "automata/minimize.h"

#include <algorithm>
#include <map>

namespace xg2lab {
namespace {

using Signature = std::vector<uint32_t>;

// Predecessors, as rows of one array.
class Predecessors {
 public:
  explicit Predecessors(const Fsm& fsm) : begin_(fsm.n_states() + 1, 0) {
    for_each_edge(fsm, [this](uint32_t, uint32_t to) { ++begin_[to + 1]; });
    for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    sources_.resize(begin_.back());
    std::vector<uint32_t> next(begin_.begin(), begin_.end() - 1);
    for_each_edge(fsm, [&](uint32_t from, uint32_t to) { sources_[next[to]++] = from; });
  }
  std::span<const uint32_t> of(uint32_t state) const {
    return {sources_.data() + begin_[state], begin_[state + 1] - begin_[state]};
  }

 private:
  template <class F>
  static void for_each_edge(const Fsm& fsm, F f) {
    for (size_t s = 0; s < fsm.n_states(); ++s) {
      const Fsm::State& state = fsm.state(StateId(s));
      for (const auto& edge : state.terminal_edges) f(static_cast<uint32_t>(s), edge.to.value);
      for (const auto& edge : state.rule_edges) f(static_cast<uint32_t>(s), edge.to.value);
    }
  }
  std::vector<uint32_t> begin_;
  std::vector<uint32_t> sources_;
};

class Partition {
 public:
  explicit Partition(const Fsm& fsm) : fsm_(fsm), predecessors_(fsm), block_of_(fsm.n_states(), 0) {
    members_.emplace_back();
    for (size_t s = 0; s < fsm.n_states(); ++s) members_[0].push_back(static_cast<uint32_t>(s));
    dirty_ = members_[0];
    is_dirty_.assign(fsm.n_states(), true);
  }

  void refine() {
    while (!dirty_.empty()) {
      std::map<uint32_t, std::vector<uint32_t>> by_block;
      for (uint32_t state : dirty_) {
        by_block[block_of_[state]].push_back(state);
      }
      const std::vector<uint32_t> looked_at = std::move(dirty_);
      dirty_.clear();
      std::vector<uint32_t> renamed;
      for (auto& [block, states] : by_block) split(block, states, renamed);
      for (uint32_t state : looked_at) is_dirty_[state] = false;
      for (uint32_t state : renamed) {
        for (uint32_t source : predecessors_.of(state)) {
          if (is_dirty_[source]) continue;
          is_dirty_[source] = true;
          dirty_.push_back(source);
        }
      }
    }
  }

  uint32_t block_of(uint32_t state) const { return block_of_[state]; }
  size_t n_blocks() const { return members_.size(); }
  const std::vector<uint32_t>& members(uint32_t block) const { return members_[block]; }

 private:
  Signature signature(uint32_t id) const {
    const Fsm::State& state = fsm_.state(StateId(id));
    Signature out{state.is_accepting ? 1u : 0u};
    auto edges = state.terminal_edges;
    std::sort(edges.begin(), edges.end(),
              [](const auto& a, const auto& b) { return a.range.lo < b.range.lo; });
    for (const auto& edge : edges) {
      const uint32_t to = block_of_[edge.to.index()];
      const bool joins =
          out.size() > 1 && out.back() == to && out[out.size() - 2] + 1u == edge.range.lo;
      if (joins) {
        out[out.size() - 2] = edge.range.hi;
      } else {
        out.insert(out.end(), {edge.range.lo, edge.range.hi, to});
      }
    }
    out.push_back(UINT32_MAX);
    auto calls = state.rule_edges;
    std::sort(calls.begin(), calls.end(),
              [](const auto& a, const auto& b) { return a.rule < b.rule; });
    for (const auto& edge : calls)
      out.insert(out.end(), {edge.rule.value, block_of_[edge.to.index()]});
    return out;
  }

  // Splits `block` by the signatures of its dirty states; the clean ones agree with one another.
  void split(uint32_t block, const std::vector<uint32_t>& dirty, std::vector<uint32_t>& renamed) {
    std::map<Signature, std::vector<uint32_t>> parts;
    for (uint32_t state : dirty) parts[signature(state)].push_back(state);
    std::vector<uint32_t> clean;
    if (dirty.size() < members_[block].size()) {
      for (uint32_t state : members_[block]) {
        if (!is_dirty_[state]) clean.push_back(state);
      }
      auto& part = parts[signature(clean.front())];
      part.insert(part.end(), clean.begin(), clean.end());
    }
    if (parts.size() == 1) return;
    auto largest = std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
      return a.second.size() < b.second.size();
    });
    for (auto part = parts.begin(); part != parts.end(); ++part) {
      if (part == largest) continue;
      const auto name = static_cast<uint32_t>(members_.size());
      for (uint32_t state : part->second) {
        block_of_[state] = name;
        renamed.push_back(state);
      }
      members_.push_back(std::move(part->second));
    }
    members_[block] = std::move(largest->second);
  }

  const Fsm& fsm_;
  Predecessors predecessors_;
  std::vector<uint32_t> block_of_;
  std::vector<std::vector<uint32_t>> members_;
  std::vector<uint32_t> dirty_;
  std::vector<bool> is_dirty_;
};

}  // namespace

Fsm minimize(const Fsm& fsm, OriginSets& origins) {
  Partition partition(fsm);
  partition.refine();

  // The block of the start is numbered 0; the rest follow.
  std::vector<uint32_t> number(partition.n_blocks(), 0);
  const uint32_t start_block = partition.block_of(0);
  uint32_t next = 1;
  for (uint32_t block = 0; block < partition.n_blocks(); ++block) {
    if (block != start_block) number[block] = next++;
  }
  Fsm result;
  for (size_t i = 0; i < partition.n_blocks(); ++i) result.add_state();
  for (uint32_t block = 0; block < partition.n_blocks(); ++block) {
    const StateId from(number[block]);
    std::map<uint32_t, std::pair<RuleEdge, std::vector<OriginSetId>>> calls;
    // Every member has the same edges up to origins: add all, and let freeze() join what is equal.
    for (uint32_t member : partition.members(block)) {
      const Fsm::State& state = fsm.state(StateId(member));
      if (state.is_accepting) result.set_accepting(from);
      for (const auto& edge : state.terminal_edges) {
        result.add_terminal(from, edge.range, StateId(number[partition.block_of(edge.to.value)]),
                            edge.origins);
      }
      for (const auto& edge : state.rule_edges) {
        const StateId to(number[partition.block_of(edge.to.value)]);
        auto& [call, all] = calls[edge.rule.value];
        call = {edge.rule, to, {}};
        all.push_back(edge.origins);
      }
    }
    for (auto& [rule, call] : calls) {
      const RuleEdge& edge = call.first;
      result.add_rule(from, edge.rule, edge.to, origins.unite(std::move(call.second)));
    }
  }
  return result;
}

}  // namespace xg2lab
