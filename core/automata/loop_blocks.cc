// Read: split, make_first_blocks, then refine.
// The trick: a cheap hash of what a state reads within a few steps separates most states at once
// and makes the initial blocks; refine() then decides exactly.
#include "automata/loop_blocks.h"

#include <algorithm>
#include <numeric>

#include "automata/signature.h"
#include "support/budget.h"
#include "support/hash.h"

namespace xg2lab {

void LoopBlocks::split(std::span<const uint32_t> component, uint32_t first_class) {
  component_.assign(component.begin(), component.end());
  first_class_ = first_class;
  for (uint32_t local = 0; local < component_.size(); ++local) local_of_[component_[local]] = local;
  make_first_blocks();
  refine();
}

// Initial blocks, by hashes of what can be read within one step, then two, up to kMostSteps,
// stopping when a step separates no further states. States of equal languages have equal hashes,
// since neighbouring ranges are joined as in signatures.
void LoopBlocks::make_first_blocks() {
  constexpr size_t kMostSteps = 3;
  const size_t n_states = component_.size();
  hashes_.resize(n_states);
  after_.resize(n_states);
  for (uint32_t s = 0; s < n_states; ++s) hashes_[s] = rows_.is_accepting[component_[s]] ? 1 : 0;
  size_t n_known = 0;
  for (size_t step = 0; step < kMostSteps; ++step) {
    count_work("minimizing a machine", n_states);
    for (uint32_t s = 0; s < n_states; ++s) after_[s] = hash_of(s);
    hashes_.swap(after_);
    sorted_ = hashes_;
    std::sort(sorted_.begin(), sorted_.end());
    // Hashes of more steps only ever separate more states: a step that adds no new hash value ends
    // the refinement.
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
    if (sorted_.size() == n_known) break;
    n_known = sorted_.size();
  }
  make_blocks(sorted_);
}

uint64_t LoopBlocks::hash_of(uint32_t local) const {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15ull;
  const StateId state(component_[local]);
  uint64_t hash = hashes_[local];
  int end = -1;  // of the current range, with its target's hash
  uint64_t to = 0;
  for (const TerminalEdge& edge : rows_.terminals(state)) {
    const uint64_t next = hash_of_target(edge.to.value);
    if (end + 1 != edge.range.lo || to != next) {
      hash = (hash ^ static_cast<uint64_t>(end)) * kOdd;
      to = next;
      hash = (hash ^ (to + edge.range.lo)) * kOdd;
      hash ^= hash >> 31;
    }
    end = edge.range.hi;
  }
  hash = (hash ^ static_cast<uint64_t>(end)) * kOdd;
  for (const RuleEdge& edge : rows_.rules(state))
    hash = hash_combine(hash ^ edge.rule.value, hash_of_target(edge.to.value));
  return hash_mix(hash);
}

uint64_t LoopBlocks::hash_of_target(uint32_t state) const {
  return is_inside(state) ? hashes_[local_of_[state]] : hash_mix(uint64_t{class_of_[state]} + 2);
}

// Counting sort of the states by block, so that each block is one range of states_.
void LoopBlocks::make_blocks(const std::vector<uint64_t>& hashes_in_order) {
  const size_t n_states = component_.size();
  begin_.assign(hashes_in_order.size() + 1, 0);
  for (uint32_t s = 0; s < n_states; ++s) {
    const auto at = std::ranges::lower_bound(hashes_in_order, hashes_[s]);
    const auto block = static_cast<uint32_t>(at - hashes_in_order.begin());
    class_of_[component_[s]] = first_class_ + block;
    ++begin_[block + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  end_.assign(begin_.begin(), begin_.end() - 1);
  begin_.pop_back();
  states_.resize(n_states);
  place_.resize(n_states);
  for (uint32_t s = 0; s < n_states; ++s) {
    place_[s] = end_[block_of(s)]++;
    states_[place_[s]] = s;
  }
}

// Hopcroft's worklist: only states with a target that changed block are checked again. A block of
// one state can't be split, so its state is skipped.
void LoopBlocks::refine() {
  dirty_ = states_;
  is_dirty_.assign(states_.size(), true);
  while (!dirty_.empty()) {
    count_work("minimizing a machine", dirty_.size());
    std::erase_if(dirty_, [&](uint32_t local) {
      const bool is_alone = size_of(block_of(local)) == 1;
      if (is_alone) is_dirty_[local] = false;
      return is_alone;
    });
    std::sort(dirty_.begin(), dirty_.end(), [&](uint32_t a, uint32_t b) {
      return std::pair(block_of(a), a) < std::pair(block_of(b), b);
    });
    renamed_.clear();
    for (size_t begin = 0; begin < dirty_.size();) {
      const uint32_t block = block_of(dirty_[begin]);
      size_t end = begin;
      while (end < dirty_.size() && block_of(dirty_[end]) == block) ++end;
      split_block({dirty_.data() + begin, end - begin});
      begin = end;
    }
    for (const uint32_t local : dirty_) is_dirty_[local] = false;
    dirty_.clear();
    for (const uint32_t local : renamed_) {
      for (const uint32_t source : sources_.of(component_[local])) {
        if (!is_inside(source) || is_dirty_[local_of_[source]]) continue;
        is_dirty_[local_of_[source]] = true;
        dirty_.push_back(local_of_[source]);
      }
    }
  }
}

uint32_t LoopBlocks::signature(uint32_t local) {
  row_.clear();
  append_signature(rows_, component_[local], class_of_, row_);
  return signatures_.add(row_).id;
}

// Splits a block by the signatures of its dirty states. The clean states still agree with one
// another.
void LoopBlocks::split_block(std::span<const uint32_t> dirty) {
  const uint32_t block = block_of(dirty.front());
  const size_t n_clean = size_of(block) - dirty.size();
  forget_signatures(dirty.size());
  parts_.clear();
  for (const uint32_t local : dirty) parts_.push_back({signature(local), local});
  const auto is_clean = [&](uint32_t local) { return !is_dirty_[local]; };
  constexpr uint32_t kNoPart = UINT32_MAX;
  // The clean states agree with one another, so the signature of one of them stands for all.
  const uint32_t clean_part =
      n_clean == 0 ? kNoPart : signature(*std::ranges::find_if(members(block), is_clean));
  if (signatures_.size() == 1) return;
  sizes_.assign(signatures_.size(), 0);
  for (const auto& [part, local] : parts_) ++sizes_[part];
  if (clean_part != kNoPart) sizes_[clean_part] += n_clean;
  // The largest part keeps the block's number. So a renumbered state is in a part of at most half
  // the size, which bounds the renumberings of a state by log n.
  const auto largest =
      static_cast<uint32_t>(std::max_element(sizes_.begin(), sizes_.end()) - sizes_.begin());
  if (clean_part != kNoPart && clean_part != largest) {
    for (const uint32_t local : members(block)) {
      if (is_clean(local)) parts_.push_back({clean_part, local});
    }
  }
  std::sort(parts_.begin(), parts_.end());
  for (size_t at = 0; at < parts_.size();) {
    const uint32_t part = parts_[at].first;
    const auto made = static_cast<uint32_t>(begin_.size());
    const uint32_t end = end_[block];
    for (; at < parts_.size() && parts_[at].first == part; ++at) {
      if (part == largest) continue;  // the largest part keeps its position and number
      const uint32_t local = parts_[at].second;
      move_to(--end_[block], local);
      class_of_[component_[local]] = first_class_ + made;
      renamed_.push_back(local);
    }
    if (part == largest) continue;
    begin_.push_back(end_[block]);
    end_.push_back(end);
  }
}

// Clearing a table costs its capacity, so after a large block the table shrinks for the many small
// blocks that follow.
void LoopBlocks::forget_signatures(size_t n_expected) {
  constexpr size_t kMuchLarger = 16;
  if (kMuchLarger * (n_expected + kMuchLarger) < n_most_signatures_) {
    signatures_ = InternedRows();
    n_most_signatures_ = 0;
  }
  signatures_.clear();
  n_most_signatures_ = std::max(n_most_signatures_, n_expected);
}

void LoopBlocks::move_to(uint32_t place, uint32_t local) {
  const uint32_t other = states_[place];
  std::swap(states_[place], states_[place_[local]]);
  std::swap(place_[other], place_[local]);
}

}  // namespace xg2lab
