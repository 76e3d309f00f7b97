// Read: Walk::walk (the loop over the trie), then classify and adapt (what is made of its verdicts).
// The trick: columns by depth are two flat arrays; a node reads its parent's, so nothing is popped.
#include "mask/classify.h"

#include <chrono>
#include <unordered_map>

#include "mask/cache_events.h"
#include "support/bits.h"

namespace xg2lab {
namespace {

class Walk {
 public:
  // `steps` may be null: then nobody asks later what was seen beyond the rule.
  Walk(ColumnTable& table, const TokenSets& tokens, StateId state, BeyondSteps* steps)
      : table_(table),
        tokens_(tokens),
        steps_(steps),
        entry_(table.beyond(table.program().rule_of(state))),
        inside_(tokens.trie.max_depth() + 1, kDead),
        beyond_(tokens.trie.max_depth() + 1, kDead),
        has_ended_(tokens.trie.max_depth() + 1, 0),
        noted_(tokens.trie.max_depth() + 1, nullptr),
        accepted_(tokens.n_words, 0) {
    inside_[0] = table.outside_item(state);
  }

  void run() { walk(1, tokens_.trie.n_nodes()); }

  // Only below the nodes at which an earlier walk of an equal rule left it: what it found inside still holds.
  void run_beyond(std::span<const uint32_t> left_at) {
    const TokenTrie& trie = tokens_.trie;
    std::string_view path;  // bytes for which the arrays below hold
    for (uint32_t node : left_at) {
      const std::string_view bytes = tokens_.vocabulary->bytes_at(TokenRank(trie[node].first_rank))
                                         .substr(0, trie[node].depth);
      size_t depth = 0;
      while (depth + 1 < path.size() && path[depth] == bytes[depth]) ++depth;
      for (; depth + 1 < bytes.size(); ++depth) step(static_cast<uint8_t>(bytes[depth]), depth + 1);
      path = bytes;
      walk(node, trie[node].subtree_end);
    }
  }

  std::vector<uint32_t>& accepted() { return accepted_; }
  std::vector<TokenRank>& beyond() { return alive_beyond_; }
  std::vector<uint32_t>& left_at() { return left_at_; }

 private:
  void walk(uint32_t begin, uint32_t end) {
    const TokenTrie& trie = tokens_.trie;
    for (uint32_t i = begin; i < end;) {
      const TrieNode& node = trie[i];
      step(node.byte, node.depth);
      const ColumnId inside = inside_[node.depth];
      if (inside == kDead) {
        if (inside_[node.depth - 1] != kDead && has_ended_[node.depth]) left_at_.push_back(i);
        if (beyond_[node.depth] == kDead) {
          i = node.subtree_end;
          continue;
        }
      }
      const uint32_t end_rank = trie[i + 1].first_rank;
      for (uint32_t rank = node.first_rank; rank < end_rank; ++rank) {
        if (inside != kDead) {
          set_bit(accepted_, tokens_.vocabulary->token_at(TokenRank(rank)).value);
        } else {
          alive_beyond_.push_back(TokenRank(rank));
        }
      }
      ++i;
    }
  }

  // Both parsers read the byte that leads to `depth`.
  void step(uint8_t byte, size_t depth) {
    const ColumnId above_inside = inside_[depth - 1];
    const ColumnId above_beyond = beyond_[depth - 1];
    const ColumnId inside = above_inside == kDead ? kDead : table_.step(above_inside, byte);
    ColumnId beyond = kDead;
    if (above_beyond != kDead) {
      if (steps_ != nullptr) note(depth - 1, byte);
      beyond = table_.step(above_beyond, byte);
    }
    has_ended_[depth] = has_ended_[depth - 1];
    if (inside != kDead && table_.at(inside).is_complete) {
      beyond = with_entry(beyond);
      has_ended_[depth] = 1;
    }
    inside_[depth] = inside;
    beyond_[depth] = beyond;
    noted_[depth] = nullptr;
  }

  void note(size_t depth, uint8_t byte) {
    if (noted_[depth] == nullptr) noted_[depth] = &steps_->from(beyond_[depth]);
    noted_[depth]->set(byte);
  }

  ColumnId with_entry(ColumnId beyond) {
    if (beyond == kDead) return entry_;
    auto [known, is_new] = joined_.emplace(beyond.value, kDead);
    if (is_new) known->second = table_.join(beyond, entry_);
    return known->second;
  }

  ColumnTable& table_;
  const TokenSets& tokens_;
  BeyondSteps* const steps_;
  const ColumnId entry_;
  // By depth.
  std::vector<ColumnId> inside_;
  std::vector<ColumnId> beyond_;
  std::vector<uint8_t> has_ended_;          // whether the goal was completed on the way
  std::vector<BeyondSteps::Bytes*> noted_;  // what was read in beyond_, once something was
  // What is found.
  std::vector<uint32_t> accepted_;
  std::vector<TokenRank> alive_beyond_;
  std::vector<uint32_t> left_at_;
  std::unordered_map<uint32_t, ColumnId> joined_;
};

// What lives beyond is accepted if there is one context only, and uncertain if there are several.
MaskEntry entry_of(const TokenSets& tokens, bool has_unique_context,
                   std::vector<uint32_t>& accepted, std::vector<TokenRank>& beyond) {
  MaskEntry entry;
  if (has_unique_context) {
    for (TokenRank rank : beyond) set_bit(accepted, tokens.vocabulary->token_at(rank).value);
  } else {
    entry.uncertain = std::move(beyond);
    entry.uncertain.shrink_to_fit();
  }
  entry.accepted = AdaptiveMask(tokens, accepted);
  entry.n_rejected =
      tokens.vocabulary->n_ranks() - entry.accepted.n_accepted() - entry.uncertain.size();
  return entry;
}

bool has_unique_context(const ColumnTable& table, StateId state) {
  return table.program().rule(table.program().rule_of(state)).has_unique_context;
}

}  // namespace

MaskEntry classify(ColumnTable& table, const TokenSets& tokens, StateId state, WalkRecord* record) {
  const auto begin = std::chrono::steady_clock::now();
  Walk walk(table, tokens, state, record == nullptr ? nullptr : &record->steps);
  walk.run();
  if (record != nullptr) {
    record->inside.accepted = AdaptiveMask(tokens, walk.accepted());
    record->inside.left_at = std::move(walk.left_at());
    record->inside.left_at.shrink_to_fit();
  }
  MaskEntry entry =
      entry_of(tokens, has_unique_context(table, state), walk.accepted(), walk.beyond());
  entry.build_ns = ns_since(begin);
  return entry;
}

MaskEntry adapt(ColumnTable& table, const TokenSets& tokens, StateId state,
                const InsidePart& inside, BeyondSteps* steps) {
  const auto begin = std::chrono::steady_clock::now();
  Walk walk(table, tokens, state, steps);
  walk.run_beyond(inside.left_at);
  inside.accepted.write(tokens, walk.accepted());
  MaskEntry entry =
      entry_of(tokens, has_unique_context(table, state), walk.accepted(), walk.beyond());
  entry.build_ns = ns_since(begin);
  return entry;
}

}  // namespace xg2lab
