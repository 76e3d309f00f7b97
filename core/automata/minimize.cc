// Read: Rows (edges in order), Partition: first blocks, then refine (the loop), minimize (writing the quotient).
// The trick: a hash of what can be read from a state in so many steps tells most states apart at once, and is cheap; blocks are made by
// it, and refine() has the last word on them.
#include "automata/minimize.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "automata/sources.h"
#include "support/hash.h"
#include "support/interned_rows.h"

namespace xg2lab {
namespace {

// The edges of each state in order, without their origins.
class Rows {
 public:
  struct Terminal {
    ByteRange range;
    uint32_t to;
  };
  struct Call {
    uint32_t rule;
    uint32_t to;
  };

  explicit Rows(const Fsm& fsm) {
    terminals_.reserve(fsm.n_terminals());
    calls_.reserve(fsm.n_rules());
    for (size_t s = 0; s < fsm.n_states(); ++s) {
      const Fsm::State state = fsm.state(StateId(s));
      for (const TerminalEdge& edge : state.terminal_edges)
        terminals_.push_back({edge.range, edge.to.value});
      for (const RuleEdge& edge : state.rule_edges)
        calls_.push_back({edge.rule.value, edge.to.value});
      sort_tail(terminals_, terminal_begin_.back(), [](const Terminal& e) { return e.range.lo; });
      sort_tail(calls_, call_begin_.back(), [](const Call& e) { return e.rule; });
      terminal_begin_.push_back(static_cast<uint32_t>(terminals_.size()));
      call_begin_.push_back(static_cast<uint32_t>(calls_.size()));
    }
  }
  std::span<const Terminal> terminals(uint32_t state) const {
    const uint32_t begin = terminal_begin_[state];
    return {terminals_.data() + begin, terminal_begin_[state + 1] - begin};
  }
  std::span<const Call> calls(uint32_t state) const {
    const uint32_t begin = call_begin_[state];
    return {calls_.data() + begin, call_begin_[state + 1] - begin};
  }

 private:
  template <class Edge, class Key>
  static void sort_tail(std::vector<Edge>& edges, uint32_t begin, Key key) {
    const auto is_less = [&](const Edge& a, const Edge& b) { return key(a) < key(b); };
    const auto first = edges.begin() + begin;
    if (!std::is_sorted(first, edges.end(), is_less)) std::sort(first, edges.end(), is_less);
  }

  std::vector<Terminal> terminals_;
  std::vector<uint32_t> terminal_begin_{0};
  std::vector<Call> calls_;
  std::vector<uint32_t> call_begin_{0};
};

// Blocks are stretches of one array of all states.
class Partition {
 public:
  explicit Partition(const Fsm& fsm)
      : rows_(fsm), sources_(fsm), block_of_(fsm.n_states()), place_(fsm.n_states()) {
    for (size_t s = 0; s < fsm.n_states(); ++s)
      is_accepting_.push_back(fsm.state(StateId(s)).is_accepting);
    make_first_blocks();
  }

  void refine() {
    std::vector<uint32_t> dirty(states_);
    std::vector<bool> is_dirty(states_.size(), true);
    std::vector<uint32_t> renamed;
    while (!dirty.empty()) {
      std::erase_if(dirty, [&](uint32_t state) {
        const bool is_alone = size_of(block_of_[state]) == 1;
        if (is_alone) is_dirty[state] = false;
        return is_alone;
      });
      std::sort(dirty.begin(), dirty.end(), [&](uint32_t a, uint32_t b) {
        return std::pair(block_of_[a], a) < std::pair(block_of_[b], b);
      });
      renamed.clear();
      for (size_t begin = 0; begin < dirty.size();) {
        size_t end = begin;
        while (end < dirty.size() && block_of_[dirty[end]] == block_of_[dirty[begin]]) ++end;
        split({dirty.data() + begin, end - begin}, is_dirty, renamed);
        begin = end;
      }
      for (uint32_t state : dirty) is_dirty[state] = false;
      dirty.clear();
      for (uint32_t state : renamed) {
        for (uint32_t source : sources_.of(state)) {
          if (is_dirty[source]) continue;
          is_dirty[source] = true;
          dirty.push_back(source);
        }
      }
    }
  }

  uint32_t block_of(uint32_t state) const { return block_of_[state]; }
  size_t n_blocks() const { return begin_.size(); }
  std::span<const uint32_t> members(uint32_t block) const {
    return {states_.data() + begin_[block], size_of(block)};
  }

 private:
  size_t size_of(uint32_t block) const { return end_[block] - begin_[block]; }

  // By hashes of what can be read within ever more steps, few of them, or until one tells no more states apart. States of equal
  // languages have equal hashes: neighbouring ranges are taken together as in signature().
  void make_first_blocks() {
    constexpr size_t kMostSteps = 3;
    const auto n_states = static_cast<uint32_t>(is_accepting_.size());
    std::vector<uint64_t> hashes(n_states);
    for (uint32_t s = 0; s < n_states; ++s) hashes[s] = is_accepting_[s] ? 1 : 0;
    std::vector<uint64_t> after(n_states);
    std::vector<uint64_t> sorted;
    size_t n_known = 0;
    for (size_t step = 0; step < kMostSteps; ++step) {
      for (uint32_t s = 0; s < n_states; ++s) after[s] = hash_of(s, hashes);
      hashes.swap(after);
      sorted = hashes;
      std::sort(sorted.begin(), sorted.end());
      sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
      if (sorted.size() == n_known) break;
      n_known = sorted.size();
    }
    for (uint32_t s = 0; s < n_states; ++s)
      block_of_[s] = static_cast<uint32_t>(
          std::lower_bound(sorted.begin(), sorted.end(), hashes[s]) - sorted.begin());
    make_blocks(sorted.size());
  }

  uint64_t hash_of(uint32_t state, const std::vector<uint64_t>& of_targets) const {
    uint64_t hash = of_targets[state];
    int end = -1;  // of the range at hand, and its target's hash
    uint64_t to = 0;
    for (const Rows::Terminal& edge : rows_.terminals(state)) {
      if (end + 1 != edge.range.lo || to != of_targets[edge.to]) {
        hash = (hash ^ static_cast<uint64_t>(end)) * kOdd;
        to = of_targets[edge.to];
        hash = (hash ^ (to + edge.range.lo)) * kOdd;
        hash ^= hash >> 31;
      }
      end = edge.range.hi;
    }
    hash = (hash ^ static_cast<uint64_t>(end)) * kOdd;
    for (const Rows::Call& edge : rows_.calls(state))
      hash = hash_combine(hash ^ edge.rule, of_targets[edge.to]);
    return hash_mix(hash);
  }

  // From block_of_.
  void make_blocks(size_t n_blocks) {
    std::vector<uint32_t> next(n_blocks + 1, 0);
    for (uint32_t block : block_of_) ++next[block + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    begin_.assign(next.begin(), next.end() - 1);
    end_.assign(next.begin() + 1, next.end());
    states_.resize(block_of_.size());
    for (uint32_t s = 0; s < block_of_.size(); ++s) {
      place_[s] = next[block_of_[s]]++;
      states_[place_[s]] = s;
    }
  }

  // Into which blocks the edges lead; neighbouring ranges into one block count as one.
  uint32_t signature(uint32_t state) {
    row_.clear();
    for (const Rows::Terminal& edge : rows_.terminals(state)) {
      const uint32_t to = block_of_[edge.to];
      const size_t n = row_.size();
      const bool joins = n > 0 && row_[n - 1] == to && row_[n - 2] + 1 == edge.range.lo;
      if (joins) row_[n - 2] = edge.range.hi;
      else row_.insert(row_.end(), {edge.range.lo, edge.range.hi, to});
    }
    row_.push_back(is_accepting_[state] ? UINT32_MAX : UINT32_MAX - 1);
    for (const Rows::Call& edge : rows_.calls(state))
      row_.insert(row_.end(), {edge.rule, block_of_[edge.to]});
    return signatures_.add(row_).id;
  }

  // Splits a block by the signatures of its dirty states; the clean ones agree with one another.
  void split(std::span<uint32_t> dirty, const std::vector<bool>& is_dirty,
             std::vector<uint32_t>& renamed) {
    const uint32_t block = block_of_[dirty.front()];
    const size_t n_clean = size_of(block) - dirty.size();
    signatures_.clear();
    parts_.clear();
    for (uint32_t state : dirty) parts_.push_back({signature(state), state});
    const auto is_clean = [&](uint32_t state) { return !is_dirty[state]; };
    constexpr uint32_t kNoPart = UINT32_MAX;
    const uint32_t clean_part =
        n_clean == 0 ? kNoPart : signature(*std::ranges::find_if(members(block), is_clean));
    if (signatures_.size() == 1) return;
    sizes_.assign(signatures_.size(), 0);
    for (const auto& [part, state] : parts_) ++sizes_[part];
    if (clean_part != kNoPart) sizes_[clean_part] += n_clean;
    const auto largest =
        static_cast<uint32_t>(std::max_element(sizes_.begin(), sizes_.end()) - sizes_.begin());
    if (clean_part != kNoPart && clean_part != largest) {
      for (uint32_t state : members(block)) {
        if (is_clean(state)) parts_.push_back({clean_part, state});
      }
    }
    std::sort(parts_.begin(), parts_.end());
    for (size_t at = 0; at < parts_.size();) {
      const uint32_t part = parts_[at].first;
      const auto made = static_cast<uint32_t>(begin_.size());
      const uint32_t end = end_[block];
      for (; at < parts_.size() && parts_[at].first == part; ++at) {
        if (part == largest) continue;  // keeps place and name
        const uint32_t state = parts_[at].second;
        move_to(--end_[block], state);
        block_of_[state] = made;
        renamed.push_back(state);
      }
      if (part == largest) continue;
      begin_.push_back(end_[block]);
      end_.push_back(end);
    }
  }

  void move_to(uint32_t place, uint32_t state) {
    const uint32_t other = states_[place];
    std::swap(states_[place], states_[place_[state]]);
    std::swap(place_[other], place_[state]);
  }

  static constexpr uint64_t kOdd = 0x9e3779b97f4a7c15ull;

  const Rows rows_;
  const Sources sources_;
  std::vector<bool> is_accepting_;
  std::vector<uint32_t> block_of_;
  std::vector<uint32_t> states_;  // by block
  std::vector<uint32_t> place_;   // of a state in states_
  std::vector<uint32_t> begin_;   // of a block in states_
  std::vector<uint32_t> end_;
  InternedRows signatures_;
  std::vector<uint32_t> row_;
  std::vector<std::pair<uint32_t, uint32_t>> parts_;  // signature, state
  std::vector<size_t> sizes_;
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
  std::vector<RuleEdge> calls;
  std::vector<OriginSetId> of_call;
  for (uint32_t block = 0; block < partition.n_blocks(); ++block) {
    const StateId from(number[block]);
    const auto target = [&](StateId to) { return StateId(number[partition.block_of(to.value)]); };
    calls.clear();
    // Every member has the same edges up to origins: add all, and let freeze() join what is equal.
    for (uint32_t member : partition.members(block)) {
      const Fsm::State state = fsm.state(StateId(member));
      if (state.is_accepting) result.set_accepting(from);
      for (const TerminalEdge& edge : state.terminal_edges)
        result.add_terminal(from, edge.range, target(edge.to), edge.origins);
      for (const RuleEdge& edge : state.rule_edges)
        calls.push_back({edge.rule, target(edge.to), edge.origins});
    }
    std::stable_sort(calls.begin(), calls.end(),
                     [](const RuleEdge& a, const RuleEdge& b) { return a.rule < b.rule; });
    for (size_t i = 0; i < calls.size();) {
      const RuleEdge edge = calls[i];
      of_call.assign(1, edge.origins);
      while (++i < calls.size() && calls[i].rule == edge.rule) of_call.push_back(calls[i].origins);
      result.add_rule(from, edge.rule, edge.to, origins.unite(of_call));
    }
  }
  return result;
}

}  // namespace xg2lab
