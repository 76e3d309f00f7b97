// The recogniser of rows: which tokens stay within one row of items, and where they leave it, in
// every context (row_walk.h).
//
// Tests: tests/differential/test_words.py, tests/core/test_context_walk.py
//
// IDEA
//   A row (parse/item_rows.h) is a set of items without their origins. A node that a row enters is
//   accepted while an item goes on within its rule. Where items have ended at the node above, or
//   wait for a called rule, another row may go on from there: the node is listed under that row as
//   a *leaving*, if the row's FOLLOW set has its byte. So names, after which nearly all bytes stay
//   within the name, have few leavings.
//
//   What is below a node of a large subtree is found once for each row that stands there: rows that
//   differ in their first bytes have it in common.
//
// INVARIANTS
//   I1  what is found of a node and a row depends on nothing else
//
// COST      a look-up for each node that is alive.   THREADS  its owner's.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "mask/plan/mask_costs.h"
#include "mask/sets/adaptive_mask.h"
#include "mask/walk/trie_walker.h"
#include "parse/item_rows.h"

namespace xg2lab {

class InRow {
 public:
  struct At {
    const ItemRows::Step* steps = nullptr;    // null: no place goes on
    const ItemRows::Bytes* follow = nullptr;  // null: no row may go on from here
    ItemRows::Id scan = 0;
    ItemRows::Id row = 0;  // what has ended, or waits for calls
    Verdict verdict = kDeadEnd;
  };
  static constexpr std::string_view kWork = "a mask: the vocabulary's walk by rows";

  struct Leaving {
    ItemRows::Id row;
    std::vector<uint32_t> nodes;
  };
  // What a walk has found.
  struct Found {
    std::vector<RankRange> accepted;  // ascending
    std::vector<Leaving> leaving;
    void leave(ItemRows::Id row, uint32_t node) { leaving_by(row).nodes.push_back(node); }
    Leaving& leaving_by(ItemRows::Id row);
    void add(const Found& other);
    size_t memory_size_bytes() const;
  };

  InRow(ItemRows& rows, const Program& program, const TokenSets& tokens, const MaskCosts& costs,
        bool token_classes);

  // The nodes with all below them, entered from `scan`.
  Found walk(const std::vector<uint32_t>& nodes, ItemRows::Id scan);

  size_t memory_size_bytes() const { return n_bytes_ + known_below_.memory_size_bytes(); }

  // ---- What the walker asks ----

  At enter(const At& above, const TrieNode& node, uint32_t i);
  static Verdict verdict(const At& at) { return at.verdict; }
  At resolve(const At& above, uint32_t i) { return enter(above, trie_[i], i); }
  void take(uint32_t first, uint32_t end, const At&) {
    take_ranks(trie_[first].first_rank, trie_[end].first_rank);
  }
  void take_ranks(uint32_t begin, uint32_t end) { extend(found_->accepted, begin, end); }
  uint32_t look_closer(TrieWalker<InRow>& walker, uint32_t node, const At& here, int n_nested);

 private:
  // Where most characters lead from a row to itself.
  struct Home {
    std::shared_ptr<const TextClass> text;  // null: they do not
    ItemRows::Id row = 0;                   // what has ended after each of them
  };

  At standing_in(ItemRows::Id scan) { return {rows_.steps(scan), nullptr, scan, 0, kAccepted}; }
  // Of the subtree of a node at which a walk stands in `scan`, the node's own tokens among it.
  const Found& at_and_below(uint32_t node, ItemRows::Id scan);
  const Home& home_of(ItemRows::Id scan);

  ItemRows& rows_;
  const Program& program_;
  const TokenSets& tokens_;
  const TokenTrie& trie_;
  const MaskCosts& costs_;
  const bool token_classes_;
  TrieWalker<InRow> walker_;
  Found* found_ = nullptr;  // of the walk in the making
  PairMap known_below_;     // by node and scan: of below_
  std::deque<Found> below_;
  std::deque<std::optional<Home>> homes_;  // index: scan
  size_t n_bytes_ = 0;
};

}  // namespace xg2lab
