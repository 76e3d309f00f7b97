// Partitions the states of one strongly connected component into blocks of equivalent states.
//
// IDEA
//   Two states stay in one block as long as they agree on accepting and their edges lead into the
//   same blocks, or out of the component to the same class. The initial blocks come from a hash of
//   what can be read within a few steps. After a split, only predecessors of states that changed
//   block are examined again; the largest part of a split block keeps its number, so each state is
//   renumbered O(log n) times.
//
// COST      O(edges log states) signatures; states outside the component cost only the edges that
//           lead
//           to them.   SEE ALSO  Hopcroft 1971.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "automata/fsm.h"
#include "automata/sources.h"
#include "support/interned_rows.h"

namespace xg2lab {

class LoopBlocks {
 public:
  // `class_of`: the classes of the states outside the components that are passed to split().
  LoopBlocks(const FrozenFsm& rows, std::vector<uint32_t>& class_of)
      : rows_(rows), class_of_(class_of), sources_(rows), local_of_(rows.n_states(), 0) {}

  // Writes the block numbers of the component's states into class_of, counting from `first_class`.
  // All classes outside have smaller numbers.
  void split(std::span<const uint32_t> component, uint32_t first_class);

  // Of the last component split.
  size_t n_blocks() const { return begin_.size(); }
  uint32_t first_of(size_t block) const { return component_[states_[begin_[block]]]; }

 private:
  // States are numbered within the component.
  bool is_inside(uint32_t state) const {
    const uint32_t local = local_of_[state];
    return local < component_.size() && component_[local] == state;
  }
  uint32_t block_of(uint32_t local) const { return class_of_[component_[local]] - first_class_; }
  size_t size_of(uint32_t block) const { return end_[block] - begin_[block]; }
  std::span<const uint32_t> members(uint32_t block) const {
    return {states_.data() + begin_[block], size_of(block)};
  }

  void make_first_blocks();
  uint64_t hash_of(uint32_t local) const;
  uint64_t hash_of_target(uint32_t state) const;
  void make_blocks(const std::vector<uint64_t>& hashes_in_order);
  void refine();
  void split_block(std::span<const uint32_t> dirty);
  uint32_t signature(uint32_t local);
  void forget_signatures(size_t n_expected);
  void move_to(uint32_t place, uint32_t local);

  const FrozenFsm& rows_;
  std::vector<uint32_t>& class_of_;
  const Sources sources_;
  std::vector<uint32_t> local_of_;  // index: state; its number in the component

  std::vector<uint32_t> component_;  // index: number in the component; the state
  uint32_t first_class_ = 0;
  std::vector<uint64_t> hashes_;
  std::vector<uint64_t> after_;
  std::vector<uint64_t> sorted_;
  // Each block is a range of this array of all states.
  std::vector<uint32_t> states_;
  std::vector<uint32_t> place_;  // index: state; its index in states_
  std::vector<uint32_t> begin_;  // index: block; its first index in states_
  std::vector<uint32_t> end_;
  std::vector<uint32_t> dirty_;
  std::vector<bool> is_dirty_;
  std::vector<uint32_t> renamed_;
  InternedRows signatures_;
  size_t n_most_signatures_ = 0;  // largest number of signatures since the last clearing
  std::vector<uint32_t> row_;
  std::vector<std::pair<uint32_t, uint32_t>> parts_;  // signature, state
  std::vector<size_t> sizes_;
};

}  // namespace xg2lab
