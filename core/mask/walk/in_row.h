// The recogniser of LR(0) sets: the tokens that stay within one set of items, and the nodes at
// which another set may continue, in every context (row_walk.h).
//
// Tests: tests/differential/test_words.py, tests/core/test_context_walk.py
//
// IDEA
//   A row (parse/rows.h) is the LR(0) set of a column's items with one origin, stored without
//   the origin. A node that is entered in a row is accepted while some item of the row continues
//   within its rule. If items have ended at the node above, or wait for a called rule, another row
//   may continue from there. Then the node is recorded as a *leaving* of the row, if the row's
//   FOLLOW set contains the node's byte. So a name, in which nearly all bytes continue the name,
//   has few leavings.
//
//   The result for a large subtree is computed once for each row that reaches the subtree's node.
//   Rows that differ only in their first bytes share these results.
//
// INVARIANTS
//   I1  the result for a node and a row depends on nothing else
//
// COST      a look-up for each node that is live.
// THREADS   those of its owner.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mask/plan/mask_costs.h"
#include "mask/sets/adaptive_mask.h"
#include "mask/walk/trie_walker.h"
#include "parse/rows.h"

namespace xg2lab {

class InRow {
 public:
  struct State {
    Rows::Step* steps = nullptr;          // by byte class; null: no item reads a byte
    const Rows::Bytes* follow = nullptr;  // null: no other row may continue
    Rows::Id scan = 0;
    Rows::Id row = 0;  // the items that have ended, or wait for calls
    Verdict verdict = kDeadEnd;
  };
  static constexpr std::string_view kWork = "walking the token trie by rows";

  struct Leaving {
    Rows::Id row;
    std::vector<uint32_t> nodes;
  };
  // The results of a walk.
  struct Result {
    std::vector<RankRange> accepted;  // ascending
    std::vector<Leaving> leaving;
    void leave(Rows::Id row, uint32_t node) { leaving_by(row).nodes.push_back(node); }
    Leaving& leaving_by(Rows::Id row);
    void add(const Result& other);
    size_t memory_size_bytes() const;
  };

  InRow(Rows& rows, const Program& program, const TokenSets& tokens, const MaskCosts& costs,
        bool token_classes);

  // Walks the subtrees of `nodes`, entered in the row `scan`.
  Result walk(std::span<const uint32_t> nodes, Rows::Id scan);

  // The step of a row. This object keeps the steps itself, so that its walks look up nothing.
  Rows::Step step(Rows::Id scan, uint8_t byte) { return known_or_made(steps(scan), scan, byte); }

  size_t memory_size_bytes() const { return n_bytes_ + known_below_.memory_size_bytes(); }

  // ---- The interface of a recogniser (trie_walker.h) ----

  State enter(const State& above, const TrieNode& node, uint32_t i);
  static Verdict verdict(const State& state) { return state.verdict; }
  State resolve(const State& above, uint32_t i) { return enter(above, trie_[i], i); }
  void take(uint32_t first, uint32_t end, const State&) {
    take_ranks(trie_[first].first_rank, trie_[end].first_rank);
  }
  void take_ranks(uint32_t begin, uint32_t end) { extend(result_->accepted, begin, end); }
  uint32_t look_closer(TrieWalker<InRow>& walker, uint32_t node, const State& here, int n_nested);

 private:
  // The text of a row: whether most characters lead from the row to itself.
  struct RowHome {
    std::shared_ptr<const TextClass> text;  // null: too few characters lead back
    Rows::Id row = 0;                       // the row of items that have ended after each
  };

  State state_in(Rows::Id scan) { return {steps(scan), nullptr, scan, 0, kAccepted}; }
  // The known steps of the row, by byte class.
  Rows::Step* steps(Rows::Id scan);
  Rows::Step known_or_made(Rows::Step* steps, Rows::Id scan, uint8_t byte) {
    Rows::Step& step = steps[program_.byte_class(byte)];
    if (step.next == Rows::Step::kUnknown) step = rows_.made_step(scan, byte);
    return step;
  }
  // The results for the subtree of `node`, entered in `scan`, with the tokens that end at `node`.
  const Result& at_and_below(uint32_t node, Rows::Id scan);
  const RowHome& home_of(Rows::Id scan);

  Rows& rows_;
  const Program& program_;
  const TokenSets& tokens_;
  const TokenTrie& trie_;
  const MaskCosts& costs_;
  const bool token_classes_;
  TrieWalker<InRow> walker_;
  Result* result_ = nullptr;  // the results of the current walk
  PairMap known_below_;       // by node and scan: index in below_
  std::deque<Result> below_;
  std::deque<std::optional<RowHome>> homes_;          // index: scan
  std::vector<std::unique_ptr<Rows::Step[]>> steps_;  // index: scan
  size_t n_bytes_ = 0;
};

}  // namespace xg2lab
