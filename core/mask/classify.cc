// Read: Walk::walk (the loop over the trie), walk_elsewhere (what it may leave out), then classify (what is made of its verdicts).
// The trick: columns by depth are two flat arrays; a node reads its parent's, so nothing is popped.
#include "mask/classify.h"

#include <chrono>
#include <optional>
#include <unordered_map>
#include <utility>

#include "mask/home.h"
#include "support/bits.h"

namespace xg2lab {
namespace {

constexpr int kMostNested = 16;  // calls of walk_elsewhere

class Walk {
 public:
  Walk(ColumnTable& table, const TokenSets& tokens, const EntryPlace& place)
      : table_(table),
        tokens_(tokens),
        is_unique_(table.program().rule(place.rule).has_unique_context),
        entry_(table.beyond(place.rule)),
        inside_(tokens.trie.max_depth() + 1, kDead),
        beyond_(tokens.trie.max_depth() + 1, kDead) {
    inside_[0] = inside_of(table, place);
    home_ = find_home(table, tokens, inside_[0]);
  }

  void run() { walk(1, tokens_.trie.n_nodes(), home_ ? kMostNested : 0); }

  // As a bitmask by token.
  std::vector<uint32_t> accepted() const {
    size_t n_accepted = 0;
    for (const auto& [begin, end] : accepted_) n_accepted += end - begin;
    if (n_accepted <= tokens_.vocabulary->n_ranks() / 2) {
      std::vector<uint32_t> words(tokens_.n_words, 0);
      for (const auto& [begin, end] : accepted_) set_ranks(words, begin, end);
      return words;
    }
    std::vector<uint32_t> words(tokens_.text_words);
    uint32_t at = 0;
    for (const auto& [begin, end] : accepted_) {
      clear_ranks(words, at, begin);
      at = end;
    }
    clear_ranks(words, at, static_cast<uint32_t>(tokens_.vocabulary->n_ranks()));
    return words;
  }
  std::vector<TokenRank>& uncertain() { return uncertain_; }

 private:
  void walk(uint32_t begin, uint32_t end, int n_skips_left) {
    const TokenTrie& trie = tokens_.trie;
    for (uint32_t i = begin; i < end;) {
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
      const bool may_skip_here = n_skips_left > 0 && is_at_home(i, inside) && is_spent(beyond);
      if (may_skip_here) {
        walk_elsewhere(i, n_skips_left - 1);
        i = node.subtree_end;
        continue;
      }
      inside_[node.depth] = inside;
      beyond_[node.depth] = beyond;
      const uint32_t end_rank = trie[i + 1].first_rank;
      if (inside != kDead || is_unique_) {
        accept(node.first_rank, end_rank);
      } else {
        for (uint32_t rank = node.first_rank; rank < end_rank; ++rank)
          uncertain_.push_back(TokenRank(rank));
      }
      ++i;
    }
  }

  // The subtree of a node at which the inside is at home: only what leads elsewhere is walked. From there a walk
  // may come home again; calls nest as often as that, but not as deep as a token may be long.
  void walk_elsewhere(uint32_t top, int n_skips_left) {
    const TokenTrie& trie = tokens_.trie;
    const uint32_t end = trie[top].subtree_end;
    uint32_t rank = trie[top].first_rank;
    for (uint32_t i = home_->next_elsewhere(top + 1, end); i < end;) {
      accept(rank, trie[i].first_rank);
      inside_[trie[i].depth - 1] = home_->column();
      beyond_[trie[i].depth - 1] = kDead;
      walk(i, trie[i].subtree_end, n_skips_left);
      rank = trie.subtree_end_rank(i);
      i = home_->next_elsewhere(trie[i].subtree_end, end);
    }
    accept(rank, trie.subtree_end_rank(top));
  }

  // Whether the inside is at home, or on the way of a character that leads there in any case.
  bool is_at_home(uint32_t node, ColumnId inside) const {
    if (inside == home_->column()) return tokens_.text_nodes.is_whole(node);
    return inside != kDead && inside == home_->after(tokens_.trie[node].byte) &&
           tokens_.text_nodes.begins_character(node) && !home_->leads_elsewhere(node);
  }

  // Whether no byte can follow, as beyond the root.
  bool is_spent(ColumnId beyond) const {
    return beyond == kDead || table_.at(beyond).scannable.empty();
  }

  void accept(uint32_t begin, uint32_t end) {
    if (begin == end) return;
    if (!accepted_.empty() && accepted_.back().second == begin) accepted_.back().second = end;
    else accepted_.emplace_back(begin, end);
  }

  void set_ranks(std::span<uint32_t> words, uint32_t begin, uint32_t end) const {
    for (; begin < end; ++begin)
      set_bit(words, tokens_.vocabulary->token_at(TokenRank(begin)).value);
  }
  void clear_ranks(std::span<uint32_t> words, uint32_t begin, uint32_t end) const {
    for (; begin < end; ++begin)
      clear_bit(words, tokens_.vocabulary->token_at(TokenRank(begin)).value);
  }

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
  std::optional<Home> home_;
  std::vector<std::pair<uint32_t, uint32_t>>
      accepted_;  // ranks from first to before second, ascending
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
