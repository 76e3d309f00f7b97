// Read: run(), which chooses the kind of walk; estimate(), which predicts its cost.
#include "mask/walk/entry_walk.h"

#include <algorithm>

namespace xg2lab {
namespace {

size_t length_of_common_prefix(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

EntryWalk::EntryWalk(WalkScratch& scratch, const TokenSets& tokens, const EntryKey& key,
                     const MaskOptions& options, BeyondSteps* steps)
    : table_(scratch.table),
      homes_(scratch.homes),
      home_masks_(scratch.home_masks),
      tokens_(tokens),
      options_(options),
      inside_(scratch, tokens, key, options, steps),
      walker_(tokens.trie, inside_, InsideBeyond::Transitions::kDeadMove) {
  begin(nullptr);
}

void EntryWalk::begin(const Home* home) {
  inside_.begin(home);
  walker_.set_state(0, inside_.move_to({inside_.start(), kDead, false}));
}

void EntryWalk::run() {
  look_for_home();
  if (home_ && is_worth_home() && run_beside_home(home_mask())) return;
  if (chain_) return run_along_chain();
  walk_bytes_read();
}

// No caller can continue before the first byte, so only bytes that the inside reads can begin a
// token. Most states read one or two bytes.
void EntryWalk::walk_bytes_read() {
  const std::bitset<256> read = inside_.bytes_read(inside_.start());
  for (size_t begin = 0; begin < read.size(); ++begin) {
    size_t end = begin;
    while (end < read.size() && read[end]) ++end;
    if (begin < end) walker_.walk(tokens_.trie.top(begin), tokens_.trie.top(end), 0);
    begin = end;
  }
}

void EntryWalk::run_beyond(std::span<const uint32_t> return_nodes) {
  const TokenTrie& trie = tokens_.trie;
  if (return_nodes.size() > options_.costs.least_left_for_home) {
    look_for_home();  // most of the nodes are then exits of the home
    if (home_ && is_worth_home() && run_beside_home(home_mask())) return;
  }
  std::string_view path;
  for (uint32_t node : return_nodes) {
    const std::string_view bytes =
        tokens_.vocabulary->bytes_at(TokenRank(trie[node].first_rank)).substr(0, trie[node].depth);
    // The walk enters the node itself by the last byte, so the walker stops one byte before.
    read_to(bytes.substr(0, bytes.size() - 1), path);
    walker_.walk(node, trie[node].subtree_end, 0);
  }
}

void EntryWalk::read_to(std::string_view bytes, std::string_view& path) {
  for (size_t depth = length_of_common_prefix(path, bytes); depth < bytes.size(); ++depth)
    walker_.set_state(depth + 1,
                      inside_.move(walker_.state(depth), static_cast<uint8_t>(bytes[depth])));
  path = bytes;
}

AdaptiveMask EntryWalk::accepted() {
  if (beside_) return beside_->accepted(tokens_);
  if (!chain_) return AdaptiveMask::of_ranks(tokens_, inside_.result().accepted);
  return AdaptiveMask::of_text(tokens_, words_);
}

// ---- Estimating the cost ----

bool EntryWalk::goes_no_further(size_t depth) const {
  const WalkState& here = inside_.at(walker_.state(depth));
  if (here.inside == kDead) return here.beyond == kDead;
  return home_ && here.inside == home_->column() && inside_.is_settled(here);
}

uint64_t EntryWalk::estimate(size_t n_samples) {
  const TokenTrie& trie = tokens_.trie;
  look_for_home();
  const uint64_t n_nodes = trie.n_nodes() - 1;
  n_samples = std::min<size_t>(n_samples, n_nodes);
  uint64_t n_met = 0;
  std::string_view path;   // the bytes that the walker has read
  bool is_closed = false;  // run() enters no node below `path`
  for (uint64_t sample = 0; sample < n_samples; ++sample) {
    const auto node = static_cast<uint32_t>(1 + (2 * sample + 1) * n_nodes / (2 * n_samples));
    const std::string_view bytes = tokens_.vocabulary->bytes_at(TokenRank(trie[node].first_rank));
    // The text of a chain is not walked; its exits are added after the loop.
    if (chain_ && chain_->first_bytes()[static_cast<uint8_t>(bytes[0])]) continue;
    const std::string_view above = bytes.substr(0, trie[node].depth - 1u);
    size_t depth = length_of_common_prefix(path, above);
    if (is_closed && depth == path.size()) continue;
    is_closed = false;
    for (; depth < above.size() && !is_closed; ++depth) {
      walker_.set_state(depth + 1,
                        inside_.move(walker_.state(depth), static_cast<uint8_t>(above[depth])));
      is_closed = goes_no_further(depth + 1);
    }
    path = above.substr(0, depth);
    if (!is_closed) ++n_met;
  }
  const uint64_t n_walked = n_samples == 0 ? 0 : n_met * n_nodes / n_samples;
  if (home_) return n_walked + (home_->has_few_exits() ? home_->text().n_exit_nodes() : n_nodes);
  return n_walked + (chain_ ? chain_->text().n_exit_nodes() : 0);
}

}  // namespace xg2lab
