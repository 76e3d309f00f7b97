// The Aho–Corasick automaton: finds which of many texts has just been read, in one step a byte.
//
// Twin:  xg2lab/reference/dispatch.py
// Tests: tests/core/test_dispatch.py, tests/differential/test_dispatch.py
//
// IDEA
//   A state is a node of the trie of the patterns: the longest suffix of the bytes read that is a
//   prefix of a pattern. If that node has no child for a byte, the suffix is too long; the node of
//   its longest shorter such suffix, the failure state, is tried instead. All transitions are
//   computed beforehand, so a step never follows failure states.
//
//   For "he", "she", "hers" after "ushe" the state is "she". Its failure state is "he", and that of
//   "he" is the root. Both "she" and "he" end here; match() returns the longest.
//
// REPRESENTATION
//   A state's row lists only the bytes that lead to a state other than the root. For a thousand
//   tags with the common prefix `<function=` that is a byte or two, not 256.
//
// INVARIANTS
//   I1  state 0 is the root; a state's number is greater than its failure state's
//   I2  rows are sorted by byte, and name no byte that leads to the root
//
// COST      building: O(states x bytes in a row). next: O(log of a row).
// THREADS   immutable after construction.
// SEE ALSO  Aho and Corasick 1975, "Efficient string matching: an aid to bibliographic search".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "support/ids.h"

namespace xg2lab {

class AhoCorasick {
 public:
  struct Step {
    uint8_t byte;
    StateId to;
  };

  // The patterns must be nonempty and distinct; they need not outlive the automaton.
  explicit AhoCorasick(std::span<const std::string_view> patterns);

  size_t n_states() const { return match_.size(); }
  StateId root() const { return StateId(0u); }
  // The bytes that lead to a state other than the root.
  std::span<const Step> steps(StateId state) const {
    const Row row = rows_[state.index()];
    return std::span<const Step>(steps_).subspan(row.begin, row.size);
  }
  StateId next(StateId state, uint8_t byte) const;
  // The longest pattern that is a suffix of the bytes read.
  std::optional<size_t> match(StateId state) const;
  // The length of the state's text: the longest suffix of the bytes read that is a prefix of a
  // pattern.
  uint32_t depth(StateId state) const { return nodes_[state.index()].depth; }
  // The length of the longest common prefix of all patterns that begin with the state's text.
  uint32_t common_depth(StateId state) const { return nodes_[state.index()].common_depth; }
  // A pattern that begins with the state's text; if is_alone, the only one. Undefined for the root.
  size_t pattern(StateId state) const { return nodes_[state.index()].pattern; }
  bool is_alone(StateId state) const { return nodes_[state.index()].is_alone; }

 private:
  static constexpr uint32_t kNoMatch = UINT32_MAX;

  struct Row {
    uint32_t begin = 0;
    uint32_t size = 0;
  };
  // A node of the trie; its children form a list in ascending order of byte.
  struct Node {
    uint32_t first_child = 0;  // 0: none
    uint32_t sibling = 0;      // 0: none
    uint32_t depth = 0;
    uint32_t common_depth = 0;
    uint32_t pattern = 0;
    uint8_t byte = 0;
    bool is_alone = true;
  };

  // Numbers nodes breadth-first, children in ascending order of byte.
  void build_trie(std::span<const std::string_view> patterns);
  void find_steps();

  std::vector<Node> nodes_;
  std::vector<uint32_t> match_;  // index: StateId
  std::vector<Row> rows_;        // index: StateId
  std::vector<Step> steps_;
};

// For each pattern, whether it can be read to its end before another pattern is complete: whether
// every other pattern that occurs in it occurs as a suffix.
std::vector<bool> readable_patterns(const AhoCorasick& automaton,
                                    std::span<const std::string_view> patterns);

}  // namespace xg2lab
