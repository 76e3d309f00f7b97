// Read: append_signature, Classes (states before loops), Partition: first blocks, then refine (the loop).
// The trick: a hash of what can be read from a state in so many steps tells most states apart at once, and is cheap; blocks are made by
// it, and refine() has the last word on them.
#include "automata/minimize.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "automata/phases.h"
#include "automata/quotient.h"
#include "automata/sources.h"
#include "support/budget.h"
#include "support/hash.h"
#include "support/interned_rows.h"

namespace xg2lab {
namespace {

// A state's edges, with classes in place of targets, behind `row`: equal for states that are one. Neighbouring ranges into one
// class count as one.
void append_signature(const FrozenFsm& rows, uint32_t state, std::span<const uint32_t> class_of,
                      std::vector<uint32_t>& row) {
  const size_t begin = row.size();
  for (const TerminalEdge& edge : rows.terminals(StateId(state))) {
    const uint32_t to = class_of[edge.to.index()];
    const size_t n = row.size();
    const bool joins = n > begin && row[n - 1] == to && (row[n - 2] & 0xFFu) + 1 == edge.range.lo;
    if (joins) {
      row[n - 2] += edge.range.hi - (row[n - 2] & 0xFFu);
    } else {
      row.push_back(uint32_t{edge.range.lo} << 8 | edge.range.hi);
      row.push_back(to);
    }
  }
  row.push_back(rows.is_accepting[state] ? UINT32_MAX : UINT32_MAX - 1);
  for (const RuleEdge& edge : rows.rules(StateId(state))) {
    row.push_back(edge.rule.value);
    row.push_back(class_of[edge.to.index()]);
  }
}

// Blocks are stretches of one array of all states.
class Partition {
 public:
  explicit Partition(const FrozenFsm& rows)
      : rows_(rows), sources_(rows), block_of_(rows.n_states()), place_(rows.n_states()) {
    make_first_blocks();
  }

  void refine() {
    std::vector<uint32_t> dirty(states_);
    std::vector<bool> is_dirty(states_.size(), true);
    std::vector<uint32_t> renamed;
    while (!dirty.empty()) {
      count_work("minimize", dirty.size());
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
  uint32_t first_of(uint32_t block) const { return states_[begin_[block]]; }
  size_t n_blocks() const { return begin_.size(); }

 private:
  std::span<const uint32_t> members(uint32_t block) const {
    return {states_.data() + begin_[block], size_of(block)};
  }
  size_t size_of(uint32_t block) const { return end_[block] - begin_[block]; }

  // By hashes of what can be read within ever more steps, few of them, or until one tells no more states apart. States of equal
  // languages have equal hashes: neighbouring ranges are taken together as in signature().
  void make_first_blocks() {
    constexpr size_t kMostSteps = 3;
    const auto n_states = static_cast<uint32_t>(rows_.n_states());
    std::vector<uint64_t> hashes(n_states);
    for (uint32_t s = 0; s < n_states; ++s) hashes[s] = rows_.is_accepting[s] ? 1 : 0;
    std::vector<uint64_t> after(n_states);
    std::vector<uint64_t> sorted;
    size_t n_known = 0;
    for (size_t step = 0; step < kMostSteps; ++step) {
      count_work("minimize", n_states);
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
    for (const TerminalEdge& edge : rows_.terminals(StateId(state))) {
      if (end + 1 != edge.range.lo || to != of_targets[edge.to.index()]) {
        hash = (hash ^ static_cast<uint64_t>(end)) * kOdd;
        to = of_targets[edge.to.index()];
        hash = (hash ^ (to + edge.range.lo)) * kOdd;
        hash ^= hash >> 31;
      }
      end = edge.range.hi;
    }
    hash = (hash ^ static_cast<uint64_t>(end)) * kOdd;
    for (const RuleEdge& edge : rows_.rules(StateId(state)))
      hash = hash_combine(hash ^ edge.rule.value, of_targets[edge.to.index()]);
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

  uint32_t signature(uint32_t state) {
    row_.clear();
    append_signature(rows_, state, block_of_, row_);
    return signatures_.add(row_).id;
  }

  // Splits a block by the signatures of its dirty states; the clean ones agree with one another.
  void split(std::span<uint32_t> dirty, const std::vector<bool>& is_dirty,
             std::vector<uint32_t>& renamed) {
    const uint32_t block = block_of_[dirty.front()];
    const size_t n_clean = size_of(block) - dirty.size();
    forget_signatures(dirty.size());
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

  // Clearing costs what the largest block before had: many small ones behind it get a small table.
  void forget_signatures(size_t n_expected) {
    constexpr size_t kMuchLarger = 16;
    if (kMuchLarger * (n_expected + kMuchLarger) < n_most_signatures_) {
      signatures_ = InternedRows();
      n_most_signatures_ = 0;
    }
    signatures_.clear();
    n_most_signatures_ = std::max(n_most_signatures_, n_expected);
  }

  void move_to(uint32_t place, uint32_t state) {
    const uint32_t other = states_[place];
    std::swap(states_[place], states_[place_[state]]);
    std::swap(place_[other], place_[state]);
  }

  static constexpr uint64_t kOdd = 0x9e3779b97f4a7c15ull;

  const FrozenFsm& rows_;
  const Sources sources_;
  std::vector<uint32_t> block_of_;
  std::vector<uint32_t> states_;  // by block
  std::vector<uint32_t> place_;   // of a state in states_
  std::vector<uint32_t> begin_;   // of a block in states_
  std::vector<uint32_t> end_;
  InternedRows signatures_;
  size_t n_most_signatures_ = 0;  // since there are these
  std::vector<uint32_t> row_;
  std::vector<std::pair<uint32_t, uint32_t>> parts_;  // signature, state
  std::vector<size_t> sizes_;
};

// Which states are one. Those that a loop leads to by Partition, the others from the end.
class Classes {
 public:
  explicit Classes(const FrozenFsm& rows)
      : rows_(rows), class_of_(rows.n_states()), is_after_loop_(rows.n_states(), false) {
    order_states();
    if (!after_loops_.empty()) part_those_after_loops();
    for (const uint32_t state : order_) {
      if (is_after_loop_[state]) continue;
      row_.clear();
      append_signature(rows_, state, class_of_, row_);
      class_of_[state] = signatures_.add(row_).id;
    }
  }
  std::span<const uint32_t> of_states() const { return class_of_; }
  size_t n_classes() const { return signatures_.size(); }

 private:
  size_t n_edges(uint32_t state) const {
    return rows_.terminals(StateId(state)).size() + rows_.rules(StateId(state)).size();
  }
  uint32_t target(uint32_t state, size_t edge) const {
    const std::span<const TerminalEdge> terminals = rows_.terminals(StateId(state));
    if (edge < terminals.size()) return terminals[edge].to.value;
    return rows_.rules(StateId(state))[edge - terminals.size()].to.value;
  }

  // Depth-first: targets before sources, but for edges to a state that is still open. Each loop has such an edge.
  void order_states() {
    enum : uint8_t { kNew, kOpen, kDone };
    struct Open {
      uint32_t state;
      uint32_t next_edge;
    };
    std::vector<uint8_t> seen(rows_.n_states(), kNew);
    std::vector<Open> open{{0, 0}};
    seen[0] = kOpen;
    while (!open.empty()) {
      auto& [state, next_edge] = open.back();
      if (next_edge == n_edges(state)) {
        seen[state] = kDone;
        order_.push_back(state);
        open.pop_back();
        continue;
      }
      const uint32_t to = target(state, next_edge++);
      if (seen[to] == kOpen) note_loop(to);
      if (seen[to] != kNew) continue;
      seen[to] = kOpen;
      open.push_back({to, 0});
    }
    for (size_t i = 0; i < after_loops_.size(); ++i) {
      const uint32_t state = after_loops_[i];
      for (size_t edge = 0; edge < n_edges(state); ++edge) note_loop(target(state, edge));
    }
  }

  void note_loop(uint32_t state) {
    if (is_after_loop_[state]) return;
    is_after_loop_[state] = true;
    after_loops_.push_back(state);
  }

  // They are a machine of their own: all edges lead to others of them. The start is none that matters here.
  void part_those_after_loops() {
    std::sort(after_loops_.begin(), after_loops_.end());
    std::vector<uint32_t> number(rows_.n_states());
    for (uint32_t i = 0; i < after_loops_.size(); ++i) number[after_loops_[i]] = i;
    FrozenFsm part;
    for (const uint32_t state : after_loops_) {
      part.begin_state();
      part.is_accepting.push_back(rows_.is_accepting[state]);
      for (TerminalEdge edge : rows_.terminals(StateId(state))) {
        edge.to = StateId(number[edge.to.index()]);
        part.terminal_edges.push_back(edge);
      }
      for (RuleEdge edge : rows_.rules(StateId(state))) {
        edge.to = StateId(number[edge.to.index()]);
        part.rule_edges.push_back(edge);
      }
    }
    part.begin_state();
    Partition partition(part);
    partition.refine();
    for (uint32_t i = 0; i < after_loops_.size(); ++i)
      class_of_[after_loops_[i]] = partition.block_of(i);
    for (uint32_t block = 0; block < partition.n_blocks(); ++block) {
      row_.clear();
      append_signature(rows_, after_loops_[partition.first_of(block)], class_of_, row_);
      signatures_.add(row_);  // its number is the block's: blocks differ
    }
  }

  const FrozenFsm& rows_;
  std::vector<uint32_t> class_of_;
  std::vector<uint32_t> order_;
  std::vector<bool> is_after_loop_;
  std::vector<uint32_t> after_loops_;
  InternedRows signatures_;
  std::vector<uint32_t> row_;
};

}  // namespace

namespace {

std::optional<FrozenFsm> deterministic(const Fsm& fsm, OriginSets& origins,
                                       const SubsetLimits& limits, bool is_final) {
  Phased phase(Phase::kDeterminize);
  std::optional<FrozenFsm> rows = determinize(fsm, origins, limits);
  if (!rows) return std::nullopt;
  if (is_final) rows = trimmed(*rows, origins);
  phase.made(fsm.n_states(), rows->n_states());
  return rows;
}

}  // namespace

FrozenFsm minimize(const FrozenFsm& rows, OriginSets& origins) {
  Phased phase(Phase::kMinimize);
  const Classes classes(rows);
  FrozenFsm result = quotient(rows, classes.of_states(), classes.n_classes(), origins);
  phase.made(rows.n_states(), result.n_states());
  return result;
}

std::optional<FrozenFsm> minimal(const Fsm& fsm, OriginSets& origins, const SubsetLimits& limits) {
  const std::optional<FrozenFsm> rows = deterministic(fsm, origins, limits, false);
  return rows ? std::optional(minimize(*rows, origins)) : std::nullopt;
}

std::optional<FrozenFsm> reduced(const Fsm& fsm, OriginSets& origins, Reduction how,
                                 const SubsetLimits& limits) {
  const bool is_minimal = how == Reduction::kMinimal;
  if (how != Reduction::kNoEpsilon) {
    std::optional<FrozenFsm> rows = deterministic(fsm, origins, limits, !is_minimal);
    if (rows) return is_minimal ? minimize(*rows, origins) : std::move(rows);
  }
  Phased phase(Phase::kRemoveEpsilon);
  const std::optional<Fsm> without = remove_epsilon(fsm, limits.n_edges);
  if (!without) return std::nullopt;
  FrozenFsm result = freeze(*without, origins);
  phase.made(fsm.n_states(), result.n_states());
  return result;
}

}  // namespace xg2lab
