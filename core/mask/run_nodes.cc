#include "mask/run_nodes.h"

#include <algorithm>

namespace xg2lab {
namespace {

constexpr size_t kMostKnown = 16;  // sets: white space, and what else is repeated byte by byte

RunNodes::ByLength find_runs(const TokenTrie& trie, const RunNodes::Bytes& bytes) {
  RunNodes::ByLength by_length(trie.max_depth() + 1);
  for (uint32_t i = 1; i < trie.n_nodes();) {
    if (!bytes[trie[i].byte]) {
      i = trie[i].subtree_end;
      continue;
    }
    by_length[trie[i].depth].push_back(i);
    ++i;
  }
  while (by_length.size() > 1 && by_length.back().empty()) by_length.pop_back();
  return by_length;
}

}  // namespace

std::shared_ptr<const RunNodes::ByLength> RunNodes::of(const TokenTrie& trie,
                                                       const Bytes& bytes) const {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(known_, bytes, [](const auto& pair) { return pair.first; });
  if (known != known_.end()) return known->second;
  if (known_.size() == kMostKnown) known_.erase(known_.begin());
  return known_.emplace_back(bytes, std::make_shared<const ByLength>(find_runs(trie, bytes)))
      .second;
}

}  // namespace xg2lab
