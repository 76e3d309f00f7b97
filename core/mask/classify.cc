// Read: Walk::run (the loop over the trie), then classify (what is made of its verdicts).
// The trick: columns by depth are two flat arrays; a node reads its parent's, so nothing is popped.
#include "mask/classify.h"

#include <chrono>
#include <unordered_map>

#include "support/bits.h"

namespace xg2lab {
namespace {

class Walk {
 public:
  Walk(ColumnTable& table, const TokenSets& tokens, const EntryPlace& place)
      : table_(table),
        tokens_(tokens),
        is_unique_(table.program().rule(place.rule).has_unique_context),
        entry_(table.beyond(place.rule)),
        inside_(tokens.trie.max_depth() + 1, kDead),
        beyond_(tokens.trie.max_depth() + 1, kDead),
        accepted_(tokens.n_words, 0) {
    inside_[0] = inside_of(table, place);
  }

  void run() {
    const TokenTrie& trie = tokens_.trie;
    const uint32_t n_nodes = trie.n_nodes();
    for (uint32_t i = 1; i < n_nodes;) {
      const TrieNode& node = trie[i];
      const ColumnId above_inside = inside_[node.depth - 1];
      const ColumnId above_beyond = beyond_[node.depth - 1];
      const ColumnId inside = above_inside == kDead ? kDead : table_.step(above_inside, node.byte);
      ColumnId beyond = above_beyond == kDead ? kDead : table_.step(above_beyond, node.byte);
      if (inside != kDead && table_.at(inside).is_complete) beyond = with_entry(beyond);
      if (inside == kDead && beyond == kDead) {
        i = node.subtree_end;
        continue;
      }
      inside_[node.depth] = inside;
      beyond_[node.depth] = beyond;
      const uint32_t end_rank = trie[i + 1].first_rank;
      for (uint32_t rank = node.first_rank; rank < end_rank; ++rank) {
        if (inside != kDead || is_unique_) {
          set_bit(accepted_, tokens_.vocabulary->token_at(TokenRank(rank)).value);
        } else {
          uncertain_.push_back(TokenRank(rank));
        }
      }
      ++i;
    }
  }

  const std::vector<uint32_t>& accepted() const { return accepted_; }
  std::vector<TokenRank>& uncertain() { return uncertain_; }

 private:
  ColumnId with_entry(ColumnId beyond) {
    if (beyond == kDead) return entry_;
    auto [known, is_new] = joined_.emplace(beyond.value, kDead);
    if (is_new) known->second = table_.join(beyond, entry_);
    return known->second;
  }

  ColumnTable& table_;
  const TokenSets& tokens_;
  const bool is_unique_;
  const ColumnId entry_;
  std::vector<ColumnId> inside_;
  std::vector<ColumnId> beyond_;
  std::vector<uint32_t> accepted_;
  std::vector<TokenRank> uncertain_;
  std::unordered_map<uint32_t, ColumnId> joined_;
};

}  // namespace

ColumnId inside_of(ColumnTable& table, const EntryPlace& place) {
  return place.counts.empty() ? table.outside_item(place.state)
                              : table.outside_item(place.state, place.rule, place.counts);
}

MaskEntry classify(ColumnTable& table, const TokenSets& tokens, const EntryPlace& place) {
  const auto begin = std::chrono::steady_clock::now();
  Walk walk(table, tokens, place);
  walk.run();
  MaskEntry entry;
  entry.place = place;
  entry.accepted = AdaptiveMask(tokens, walk.accepted());
  entry.uncertain = std::move(walk.uncertain());
  entry.uncertain.shrink_to_fit();
  entry.n_rejected =
      tokens.vocabulary->n_ranks() - entry.accepted.n_accepted() - entry.uncertain.size();
  entry.build_ns = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin)
          .count());
  return entry;
}

}  // namespace xg2lab
