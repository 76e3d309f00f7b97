// The Aho–Corasick automaton: which of many texts has just been read, one step a byte.
//
// Twin:  xg2lab/reference/dispatch.py
// Tests: tests/core/test_dispatch.py, tests/differential/test_dispatch.py
//
// IDEA
//   A state is the longest end of what was read that begins one of the patterns: a node of their trie.
//   Where the trie has no child for a byte, that end is too long; its next shorter one, the failure
//   state, answers instead. All answers are worked out beforehand, so a step never goes back.
//
//   Of "he", "she", "hers" after "ushe": state "she", whose failure states are "he", "e" is none.
//   "she" matches there, and so does "he"; the longest one counts.
//
// REPRESENTATION
//   A state's row lists the bytes that lead elsewhere than to the root; of a thousand tags with one
//   beginning `<function=` that is one byte or two, not 256.
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

  // The patterns are not empty and distinct; they need not outlive the automaton.
  explicit AhoCorasick(std::span<const std::string_view> patterns);

  size_t n_states() const { return match_.size(); }
  StateId root() const { return StateId(0u); }
  // The bytes that lead to other states than the root.
  std::span<const Step> steps(StateId state) const {
    const Row row = rows_[state.index()];
    return std::span<const Step>(steps_).subspan(row.begin, row.size);
  }
  StateId next(StateId state, uint8_t byte) const;
  // The longest pattern that what was read ends in.
  std::optional<size_t> match(StateId state) const;
  // Bytes of the state's own text: the longest end of what was read that begins a pattern.
  uint32_t depth(StateId state) const { return nodes_[state.index()].depth; }
  // How far all patterns that begin with the state's text go on alike, in bytes from their beginning.
  uint32_t common_depth(StateId state) const { return nodes_[state.index()].common_depth; }
  // One of the patterns that begin with the state's text; the only one, if is_alone. Not the root's.
  size_t pattern(StateId state) const { return nodes_[state.index()].pattern; }
  bool is_alone(StateId state) const { return nodes_[state.index()].is_alone; }

 private:
  static constexpr uint32_t kNoMatch = UINT32_MAX;

  struct Row {
    uint32_t begin = 0;
    uint32_t size = 0;
  };
  // A node of the trie; the children are a list, in ascending order of byte.
  struct Node {
    uint32_t first_child = 0;  // 0: none
    uint32_t sibling = 0;      // 0: none
    uint32_t depth = 0;
    uint32_t common_depth = 0;
    uint32_t pattern = 0;
    uint8_t byte = 0;
    bool is_alone = true;
  };

  // Breadth-first numbers, children in ascending order of byte.
  void build_trie(std::span<const std::string_view> patterns);
  void find_steps();

  std::vector<Node> nodes_;
  std::vector<uint32_t> match_;  // index: StateId
  std::vector<Row> rows_;        // index: StateId
  std::vector<Step> steps_;
};

// Of each pattern, whether it can be read to its end before another one has been: whether no other
// occurs in it but at its end.
std::vector<bool> readable_patterns(const AhoCorasick& automaton,
                                    std::span<const std::string_view> patterns);

}  // namespace xg2lab
