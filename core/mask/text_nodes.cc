// One pass over the trie beside UTF-8's eight places.
#include "mask/text_nodes.h"

#include "automata/utf8_places.h"

namespace xg2lab {

TextNodes::TextNodes(const TokenTrie& trie) : is_whole_(trie.n_nodes()) {
  std::vector<std::optional<Utf8Place>> places(trie.max_depth() +
                                               1);  // by depth; nothing: malformed
  places[0] = kBetweenCodePoints;
  is_whole_[0] = true;
  for (uint32_t i = 1; i < trie.n_nodes(); ++i) {
    const TrieNode& node = trie[i];
    const auto above = places[node.depth - 1u];
    auto& place = places[node.depth];
    place = above ? utf8_step(*above, node.byte) : std::nullopt;
    is_whole_[i] = place == kBetweenCodePoints;
    if (above && !place) malformed_.push_back(i);
    if (above == kBetweenCodePoints && place) by_byte_[node.byte].push_back(i);
  }
}

}  // namespace xg2lab
