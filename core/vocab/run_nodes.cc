#include "vocab/run_nodes.h"

#include <algorithm>

namespace xg2lab {
namespace {

constexpr size_t kMostKnown = 16;  // sets kept: white space, and other sets of repeated bytes

RunNodes::Runs find_runs(const TokenTrie& trie, const RunNodes::Bytes& bytes) {
  RunNodes::Runs runs;
  runs.by_length.resize(trie.max_depth() + 1);
  for (uint32_t i = 1; i < trie.n_nodes();) {
    const bool is_run = bytes[trie[i].byte];
    if (is_run || trie[i].depth > 1) runs.nodes.push_back({i, is_run});
    if (is_run) runs.by_length[trie[i].depth].push_back(i);
    i = is_run ? i + 1 : trie[i].subtree_end;
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
