// The prefix tree of a vocabulary's text tokens, as one array in depth-first order.
//
// Twin:  xg2lab/reference/trie.py
// Tests: tests/vocab/test_token_trie.py
//
// IDEA
//   Testing every token by itself would read common prefixes again and again. The trie has one node
//   for each distinct prefix. A walk in array order visits every node after its parent, and if the
//   parser rejects a prefix, one jump skips all tokens with that prefix.
//
//   Token ranks (vocabulary.h) are in the same order, so a node stores only its first rank: the
//   ranks of its whole subtree are a range.
//
//      tokens by rank   0 "a"   1 "ab"   2 "ab"   3 "acd"   4 "b"
//
//      index  byte  depth  subtree_end  first_rank     tokens that end here
//        0     -      0        6            0          none (the root: the empty beginning)
//        1    'a'     1        5            0          0
//        2    'b'     2        3            1          1, 2
//        3    'c'     2        5            3          none
//        4    'd'     3        5            3          3
//        5    'b'     1        6            4          4
//        6     -      0        6            5          (the sentinel: it only ends ranges)
//
//   A walk, where pop_to(n) pops all bytes after the first n:
//      for (uint32_t i = 1; i < trie.n_nodes();) {
//        parser.pop_to(trie[i].depth - 1);
//        if (parser.push(trie[i].byte)) { allow(trie.first_rank(i), trie.end_rank(i)); ++i; }
//        else { i = trie[i].subtree_end; }
//      }
//
// INVARIANTS
//   I1  node 0 is the root: depth 0, byte 0, first_rank 0, subtree_end n_nodes(); no token ends at
//       it
//   I2  node n_nodes() is the sentinel: depth 0, byte 0, first_rank n_ranks(), subtree_end
//       n_nodes()
//   I3  the subtree of i is [i, subtree_end(i)), i < subtree_end(i) <= n_nodes(), and lies within
//       that of i's parent; the parent of i is the last j < i with depth(j) == depth(i) - 1
//   I4  the tokens that end at i are the ranks [first_rank(i), first_rank(i + 1)), those below or
//       at it [first_rank(i), first_rank(subtree_end(i))); each of the latter begins with i's path
//   I5  siblings are in ascending order of byte, no two equal; a leaf ends at least one token
//   I6  top(byte) is the first node of depth 1 with that byte or a greater one
//
// COST      12 bytes a node; building is O(nodes). The walk itself is the caller's loop
//           (core/mask/).
// THREADS   immutable after construction.
// NOT HERE  grammars and parsers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "support/ids.h"
#include "vocab/vocabulary.h"

namespace xg2lab {

struct TrieNode {
  uint32_t subtree_end;  // index one past the last node of this node's subtree
  uint32_t first_rank;   // rank of the first token that ends here or below
  uint16_t depth;        // bytes from the root; the root has 0
  uint8_t byte;          // the last byte of this node's path
};
static_assert(sizeof(TrieNode) == 12, "a walk reads one node after another; keep them small");

class TokenTrie {
 public:
  // Contains the text tokens of the vocabulary, which need not outlive the trie.
  explicit TokenTrie(const Vocabulary& vocabulary);

  // The number of nodes with the root and without the sentinel, whose index it is.
  uint32_t n_nodes() const { return static_cast<uint32_t>(nodes_.size()) - 1; }
  const TrieNode& operator[](uint32_t index) const { return nodes_[index]; }
  const TrieNode* data() const { return nodes_.data(); }

  // The tokens that end at the node have ranks [first_rank, end_rank); those of its whole subtree
  // [first_rank, subtree_end_rank).
  uint32_t first_rank(uint32_t index) const { return nodes_[index].first_rank; }
  uint32_t end_rank(uint32_t index) const { return nodes_[index + 1].first_rank; }
  uint32_t subtree_end_rank(uint32_t index) const {
    return nodes_[nodes_[index].subtree_end].first_rank;
  }

  // The first node of depth 1 whose byte is at least `byte`; n_nodes() if there is none. byte <=
  // 256.
  uint32_t top(size_t byte) const { return tops_[byte]; }
  // The child of `index` for a byte. Linear in the siblings: for look-ups, not for walks.
  std::optional<uint32_t> child(uint32_t index, uint8_t byte) const;
  // The node whose path is `bytes`; the root for the empty path.
  std::optional<uint32_t> find(std::string_view bytes) const;

  size_t max_depth() const { return max_depth_; }
  size_t memory_size_bytes() const;

  // Asserts I1 to I6 against the vocabulary the trie was made of. For tests.
  void check_invariants(const Vocabulary& vocabulary) const;

 private:
  std::vector<TrieNode> nodes_;
  std::array<uint32_t, 257> tops_{};
  size_t max_depth_ = 0;
};

using RankRange = std::pair<uint32_t, uint32_t>;  // half open: [first, second)

// Appends a range to ascending ranges. A range that begins where the last one ends extends the last
// one.
inline void extend(std::vector<RankRange>& ranges, uint32_t begin, uint32_t end) {
  if (begin == end) return;
  if (!ranges.empty() && ranges.back().second == begin) ranges.back().second = end;
  else ranges.emplace_back(begin, end);
}

}  // namespace xg2lab
