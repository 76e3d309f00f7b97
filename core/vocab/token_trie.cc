// Builds the trie from the sorted tokens, and answers look-ups. Read: the constructor;
// check_invariants restates the header as code. The trick: the common prefix of a token with its
// predecessor tells which nodes exist already; the current path is a stack of open nodes, which are
// closed when a token leaves them.
#include "vocab/token_trie.h"

#include <algorithm>
#include <string>

#include "support/error.h"

namespace xg2lab {

TokenTrie::TokenTrie(const Vocabulary& vocabulary) {
  const size_t n_ranks = vocabulary.n_ranks();
  // The exact number of nodes: each token adds the bytes beyond its common prefix with the one
  // before.
  size_t n_nodes = 1;
  for (size_t r = 0; r < n_ranks; ++r) {
    const size_t n_bytes = vocabulary.bytes_at(TokenRank(r)).size();
    n_nodes += n_bytes - vocabulary.common_prefix(TokenRank(r));
    max_depth_ = std::max(max_depth_, n_bytes);
  }
  nodes_.reserve(n_nodes + 1);
  std::vector<uint32_t> open = {0};  // open[d]: the node of depth d on the last token's path
  open.reserve(max_depth_ + 1);
  nodes_.push_back({0, 0, 0, 0});
  // Nodes deeper than `depth` are complete once a token leaves them: their subtree ends here.
  const auto close_below = [this, &open](size_t depth) {
    const auto end = static_cast<uint32_t>(nodes_.size());
    for (; open.size() > depth + 1; open.pop_back()) nodes_[open.back()].subtree_end = end;
  };
  for (size_t r = 0; r < n_ranks; ++r) {
    const std::string_view token = vocabulary.bytes_at(TokenRank(r));
    const size_t shared = vocabulary.common_prefix(TokenRank(r));
    close_below(shared);
    for (size_t d = shared; d < token.size(); ++d) {
      open.push_back(static_cast<uint32_t>(nodes_.size()));
      nodes_.push_back({0, static_cast<uint32_t>(r), static_cast<uint16_t>(d + 1),
                        static_cast<uint8_t>(token[d])});
    }
  }
  close_below(0);
  const auto end = static_cast<uint32_t>(nodes_.size());
  nodes_[0].subtree_end = end;
  // The sentinel ends the ranges of ranks of the last node (I2).
  nodes_.push_back({end, static_cast<uint32_t>(n_ranks), 0, 0});
  uint32_t node = 1;
  for (size_t byte = 0; byte < tops_.size(); ++byte) {
    if (node < end && nodes_[node].byte < byte) node = nodes_[node].subtree_end;
    tops_[byte] = node;
  }
}

std::optional<uint32_t> TokenTrie::child(uint32_t index, uint8_t byte) const {
  const uint32_t end = nodes_[index].subtree_end;
  for (uint32_t i = index + 1; i < end; i = nodes_[i].subtree_end) {
    if (nodes_[i].byte == byte) return i;
    if (nodes_[i].byte > byte) break;
  }
  return std::nullopt;
}

std::optional<uint32_t> TokenTrie::find(std::string_view bytes) const {
  std::optional<uint32_t> index = 0;
  for (size_t i = 0; i < bytes.size() && index; ++i) {
    index = child(*index, static_cast<uint8_t>(bytes[i]));
  }
  return index;
}

size_t TokenTrie::memory_size_bytes() const {
  return sizeof(*this) + nodes_.capacity() * sizeof(TrieNode);
}

void TokenTrie::check_invariants(const Vocabulary& vocabulary) const {
  const uint32_t n = n_nodes();
  const auto n_ranks = static_cast<uint32_t>(vocabulary.n_ranks());
  XG2LAB_ASSERT(nodes_[0].depth == 0 && nodes_[0].byte == 0 && nodes_[0].first_rank == 0,
                "trie I1");
  XG2LAB_ASSERT(nodes_[0].subtree_end == n && end_rank(0) == 0, "trie I1");
  XG2LAB_ASSERT(nodes_[n].depth == 0 && nodes_[n].byte == 0, "trie I2");
  XG2LAB_ASSERT(nodes_[n].first_rank == n_ranks && nodes_[n].subtree_end == n, "trie I2");

  std::string path;
  std::vector<uint32_t> parents = {0};  // parents[d]: the last node visited at depth d
  std::vector<int> last_child_byte = {-1};
  for (uint32_t i = 1; i < n; ++i) {
    const TrieNode& node = nodes_[i];
    XG2LAB_ASSERT(node.depth >= 1 && node.depth <= parents.size(), "trie I3");
    const size_t above = node.depth - 1u;
    parents.resize(above + 1);
    last_child_byte.resize(above + 1);
    path.resize(above);
    XG2LAB_ASSERT(i < node.subtree_end && node.subtree_end <= nodes_[parents[above]].subtree_end,
                  "trie I3");
    XG2LAB_ASSERT(nodes_[node.subtree_end].depth <= node.depth, "trie I3");
    XG2LAB_ASSERT(last_child_byte[above] < node.byte, "trie I5");
    last_child_byte[above] = node.byte;
    parents.push_back(i);
    last_child_byte.push_back(-1);
    path.push_back(static_cast<char>(node.byte));

    XG2LAB_ASSERT(first_rank(i) <= end_rank(i) && end_rank(i) <= subtree_end_rank(i), "trie I4");
    XG2LAB_ASSERT(first_rank(i) < subtree_end_rank(i), "trie I5");
    for (uint32_t r = first_rank(i); r < end_rank(i); ++r) {
      XG2LAB_ASSERT(vocabulary.bytes_at(TokenRank(r)) == path, "trie I4");
    }
  }
  for (size_t byte = 0; byte < tops_.size(); ++byte) {
    const uint32_t node = tops_[byte];
    const bool is_first = node == 1 || (byte > 0 && nodes_[tops_[byte - 1]].subtree_end == node) ||
                          (byte > 0 && tops_[byte - 1] == node);
    XG2LAB_ASSERT(is_first && (node == n || (nodes_[node].depth == 1 && nodes_[node].byte >= byte)),
                  "trie I6");
  }
}

}  // namespace xg2lab
