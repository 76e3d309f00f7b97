// One pass over the trie beside UTF-8's eight places.
#include "mask/text_nodes.h"

#include <optional>

#include "automata/utf8_places.h"

namespace xg2lab {

TextNodes::TextNodes(const TokenTrie& trie) : is_whole_(trie.n_nodes()), begins_(trie.n_nodes()) {
  struct Above {
    std::optional<Utf8Place> place;  // nothing: malformed
    uint32_t first = 0;              // the node of the character's first byte
  };
  std::vector<Above> path(trie.max_depth() + 1);  // by depth
  path[0].place = kBetweenCodePoints;
  is_whole_[0] = true;
  for (uint32_t i = 1; i < trie.n_nodes(); ++i) {
    const TrieNode& node = trie[i];
    const Above above = path[node.depth - 1u];
    const bool is_first = above.place == kBetweenCodePoints;
    Above& here = path[node.depth];
    here.first = is_first ? i : above.first;
    here.place = above.place ? utf8_step(*above.place, node.byte) : std::nullopt;
    is_whole_[i] = here.place == kBetweenCodePoints;
    begins_[i] = is_first && here.place;
    if (begins_[i]) by_byte_[node.byte].push_back(i);
    const bool is_listed = !malformed_.empty() && malformed_.back() == here.first;
    if (above.place && !here.place && !is_listed) malformed_.push_back(here.first);
  }
}

}  // namespace xg2lab
