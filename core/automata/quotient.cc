// Read: write (classes breadth-first), then the edges of a class of one state and of several. The
// trick: nearly always all states can reach an accepting state, and one backward sweep proves it.
#include "automata/quotient.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include "automata/join_edges.h"
#include "automata/sources.h"

namespace xg2lab {
namespace {

// States are visited from last to first: in breadth-first numbering most edges lead forwards, so
// most targets are already decided.
std::vector<bool> states_with_a_future(const FrozenFsm& rows) {
  std::vector<bool> has_future(rows.n_states(), false);
  size_t n_found = 0;
  const auto leads_on = [&](const auto& edge) { return has_future[edge.to.index()]; };
  for (size_t s = rows.n_states(); s-- > 0;) {
    const StateId state(s);
    has_future[s] = rows.is_accepting[s] || std::ranges::any_of(rows.terminals(state), leads_on) ||
                    std::ranges::any_of(rows.rules(state), leads_on);
    n_found += has_future[s] ? 1 : 0;
  }
  if (n_found == rows.n_states()) return has_future;
  return states_that_can_accept(rows.n_states(), Sources(rows),
                                [&](uint32_t state) { return rows.is_accepting[state]; });
}

class QuotientWriter {
 public:
  QuotientWriter(const FrozenFsm& rows, std::span<const uint32_t> class_of, size_t n_classes,
                 OriginSets& origins)
      : rows_(rows),
        class_of_(class_of),
        origins_(origins),
        is_alive_(states_with_a_future(rows)),
        begin_(n_classes + 1, 0),
        members_(rows.n_states()),
        number_(n_classes, kUnnumbered) {
    // Counting sort of the states by class.
    for (const uint32_t of : class_of) ++begin_[of + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (uint32_t s = 0; s < rows.n_states(); ++s) members_[next[class_of[s]]++] = s;
  }

  FrozenFsm write() {
    result_.terminal_edges.reserve(rows_.terminal_edges.size());
    result_.rule_edges.reserve(rows_.rule_edges.size());
    for (auto* begins : {&result_.terminal_begin, &result_.rule_begin})
      begins->reserve(number_.size() + 1);
    result_.is_accepting.reserve(number_.size());
    visit(StateId(0u));
    for (size_t i = 0; i < order_.size(); ++i) {
      result_.begin_state();
      const uint32_t of = order_[i];
      const std::span<const uint32_t> members{members_.data() + begin_[of],
                                              begin_[of + 1] - begin_[of]};
      result_.is_accepting.push_back(rows_.is_accepting[members.front()]);
      if (members.size() == 1) write_edges_of(StateId(members.front()));
      else write_edges_of(members);
    }
    result_.begin_state();
    return std::move(result_);
  }

 private:
  static constexpr uint32_t kUnnumbered = UINT32_MAX;

  // The number in the result of the state's class.
  StateId visit(StateId state) {
    uint32_t& number = number_[class_of_[state.index()]];
    if (number == kUnnumbered) {
      number = static_cast<uint32_t>(order_.size());
      order_.push_back(class_of_[state.index()]);
    }
    return StateId(number);
  }

  void write_edges_of(StateId state) {
    const std::span<const TerminalEdge> edges = rows_.terminals(state);
    for (size_t i = 0; i < edges.size();) {
      TerminalEdge edge = edges[i++];
      if (!is_alive_[edge.to.index()]) continue;
      // Edges to dropped states are left out; neighbouring ranges that lead to one class become one
      // edge.
      const auto joins = [&] {
        return i < edges.size() && edges[i].range.lo == edge.range.hi + 1 &&
               class_of_[edges[i].to.index()] == class_of_[edge.to.index()];
      };
      if (joins()) {
        together_.assign(1, edge.origins);
        for (; joins(); ++i) {
          edge.range.hi = edges[i].range.hi;
          together_.push_back(edges[i].origins);
        }
        edge.origins = origins_.unite(together_);
      }
      edge.to = visit(edge.to);
      result_.terminal_edges.push_back(edge);
    }
    for (RuleEdge edge : rows_.rules(state)) {
      if (!is_alive_[edge.to.index()]) continue;
      edge.to = visit(edge.to);
      result_.rule_edges.push_back(edge);
    }
  }

  // The members' edges agree but may be cut at different places.
  void write_edges_of(std::span<const uint32_t> members) {
    terminals_.clear();
    calls_.clear();
    for (const uint32_t member : members) {
      for (const TerminalEdge& edge : rows_.terminals(StateId(member)))
        if (is_alive_[edge.to.index()]) terminals_.push_back(edge);
      for (const RuleEdge& edge : rows_.rules(StateId(member)))
        if (is_alive_[edge.to.index()]) calls_.push_back(edge);
    }
    // First by target, so that equal and adjacent ranges of one target are joined; then by byte
    // again, the order of rows.
    const auto target = [&](const auto& edge) { return class_of_[edge.to.index()]; };
    join_edges(
        terminals_,
        [&](const TerminalEdge& e) { return std::tuple(target(e), e.range.lo, e.range.hi); },
        [&](TerminalEdge& last, const TerminalEdge& edge) {
          if (target(last) != target(edge) || edge.range.lo > last.range.hi + 1) return false;
          last.range.hi = std::max(last.range.hi, edge.range.hi);
          return true;
        },
        origins_, together_);
    join_edges(
        calls_, [](const RuleEdge& e) { return e.rule; },
        [](const RuleEdge& last, const RuleEdge& edge) { return last.rule == edge.rule; }, origins_,
        together_);
    std::sort(terminals_.begin(), terminals_.end(),
              [](const TerminalEdge& a, const TerminalEdge& b) { return a.range.lo < b.range.lo; });
    for (TerminalEdge& edge : terminals_) {
      edge.to = visit(edge.to);
      result_.terminal_edges.push_back(edge);
    }
    for (RuleEdge& edge : calls_) {
      edge.to = visit(edge.to);
      result_.rule_edges.push_back(edge);
    }
  }

  const FrozenFsm& rows_;
  const std::span<const uint32_t> class_of_;
  OriginSets& origins_;
  const std::vector<bool> is_alive_;
  std::vector<uint32_t> begin_;    // index: class; its first index in members_
  std::vector<uint32_t> members_;  // states by class
  std::vector<uint32_t> number_;   // index: class; its number in the result
  std::vector<uint32_t> order_;    // index: number in the result; the class
  FrozenFsm result_;
  std::vector<TerminalEdge> terminals_;
  std::vector<RuleEdge> calls_;
  std::vector<OriginSetId> together_;
};

}  // namespace

FrozenFsm quotient(const FrozenFsm& rows, std::span<const uint32_t> class_of, size_t n_classes,
                   OriginSets& origins) {
  return QuotientWriter(rows, class_of, n_classes, origins).write();
}

FrozenFsm trimmed(const FrozenFsm& rows, OriginSets& origins) {
  std::vector<uint32_t> itself(rows.n_states());
  std::iota(itself.begin(), itself.end(), 0u);
  return quotient(rows, itself, rows.n_states(), origins);
}

}  // namespace xg2lab
