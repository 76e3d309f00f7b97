// One pass over the trie, in lockstep with the eight states of UTF-8 (automata/utf8_states.h).
#include "vocab/text_nodes.h"

#include <optional>

#include "automata/utf8_states.h"

namespace xg2lab {

TextNodes::TextNodes(const TokenTrie& trie)
    : is_whole_(trie.n_nodes()), begins_(trie.n_nodes()), n_characters_(trie.n_nodes()) {
  struct Above {
    std::optional<Utf8State> state;  // nothing: malformed
    uint32_t first = 0;              // the node of the current character's first byte
    uint16_t n_characters = 0;
  };
  std::vector<Above> path(trie.max_depth() + 1);  // index: depth
  path[0].state = kBetweenCodePoints;
  is_whole_[0] = true;
  for (uint32_t i = 1; i < trie.n_nodes(); ++i) {
    const TrieNode& node = trie[i];
    const Above above = path[node.depth - 1u];
    const bool is_first = above.state == kBetweenCodePoints;
    Above& here = path[node.depth];
    here.first = is_first ? i : above.first;
    here.n_characters = static_cast<uint16_t>(above.n_characters + (is_first ? 1 : 0));
    n_characters_[i] = here.n_characters;
    here.state = above.state ? utf8_step(*above.state, node.byte) : std::nullopt;
    is_whole_[i] = here.state == kBetweenCodePoints;
    begins_[i] = is_first && here.state;
    if (begins_[i]) by_byte_[node.byte].push_back(i);
    const bool is_listed = !malformed_.empty() && malformed_.back() == here.first;
    if (above.state && !here.state && !is_listed) malformed_.push_back(here.first);
  }
  list_by_length(trie);
}

size_t TextNodes::n_elsewhere(const std::bitset<256>& text) const {
  size_t n_elsewhere = malformed_.size();
  for (size_t byte = 0; byte < text.size(); ++byte) {
    if (!text[byte]) n_elsewhere += by_byte_[byte].size();
  }
  return n_elsewhere;
}

// Counting sort: count the tokens of each length, then place each rank.
void TextNodes::list_by_length(const TokenTrie& trie) {
  const auto for_each_rank = [&](auto visit) {
    for (uint32_t i = 1; i < trie.n_nodes(); ++i) {
      for (uint32_t rank = trie.first_rank(i); rank < trie.end_rank(i); ++rank)
        visit(rank, n_characters_[i]);
    }
  };
  rank_begin_.assign(2, 0);
  for_each_rank([&](uint32_t, size_t length) {
    if (length + 2 > rank_begin_.size()) rank_begin_.resize(length + 2, 0);
    ++rank_begin_[length + 1];
  });
  for (size_t i = 1; i < rank_begin_.size(); ++i) rank_begin_[i] += rank_begin_[i - 1];
  ranks_by_length_.resize(rank_begin_.back());
  std::vector<uint32_t> next(rank_begin_);
  for_each_rank([&](uint32_t rank, size_t length) { ranks_by_length_[next[length]++] = rank; });
}

}  // namespace xg2lab
