#include "vocab/run_nodes.h"

#include <algorithm>

namespace xg2lab {
namespace {

constexpr size_t kMostKnown = 16;  // sets kept: white space, and other sets of repeated bytes

void add_exit(RunNodes::Runs& runs, uint8_t byte, uint32_t node) {
  auto of_byte = std::ranges::find(runs.exits, byte, &RunNodes::Runs::Exits::byte);
  if (of_byte == runs.exits.end()) of_byte = runs.exits.insert(of_byte, {byte, {}});
  of_byte->nodes.push_back(node);
}

RunNodes::Runs find_runs(const TokenTrie& trie, const RunNodes::Bytes& bytes) {
  RunNodes::Runs runs;
  runs.by_length.resize(trie.max_depth() + 1);
  for (uint32_t i = 1; i < trie.n_nodes();) {
    const TrieNode& node = trie[i];
    if (bytes[node.byte]) {
      runs.by_length[node.depth].push_back(i);
      extend(runs.tokens, trie.first_rank(i), trie.end_rank(i));
      ++i;
    } else {
      if (node.depth > 1) add_exit(runs, node.byte, i);
      i = node.subtree_end;
    }
  }
  while (runs.by_length.size() > 1 && runs.by_length.back().empty()) runs.by_length.pop_back();
  return runs;
}

}  // namespace

std::shared_ptr<const RunNodes::Runs> RunNodes::of(const TokenTrie& trie,
                                                   const Bytes& bytes) const {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(known_, bytes, [](const auto& pair) { return pair.first; });
  if (known != known_.end()) return known->second;
  if (known_.size() == kMostKnown) known_.erase(known_.begin());
  return known_.emplace_back(bytes, std::make_shared<const Runs>(find_runs(trie, bytes))).second;
}

}  // namespace xg2lab
