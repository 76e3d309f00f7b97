// The walk that builds the entry of a state: plain, from a home, beside a home, or along a chain.
//
// Tests: tests/core/test_long_walks.py, tests/core/test_free_text.py,
// tests/differential/test_engine_vs_twin.py
//
// IDEA
//   The plain walk enters the subtrees of all bytes that the state reads. Text needs no plain walk.
//   From a home (home.h) and along a chain (text_chain.h) a text class lists the tokens that
//   consist of text alone, which are accepted unwalked. Of the tokens that leave the text by equal
//   suffixes, one is walked for all (exit classes, vocab/text_class.h). The mask of a home is found
//   once; a state from which text leads to the home is walked beside the home (beside_home.h).
//
//   If much of the vocabulary leaves the home, as with [a-z0-9_]+, the home's mask decides few
//   tokens of other states. Then the home's mask is found, by a plain walk, only once a second walk
//   reaches the home. A walk beside the home has a budget of nodes. Past the budget the plain walk
//   takes over: it decides ranges of nodes, not single nodes.
//
// COST      a known move for each node: about a millisecond for all of Llama-3's trie.
// THREADS   of one walk.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mask/text/home.h"
#include "mask/text/text_chain.h"
#include "mask/walk/beside_home.h"
#include "mask/walk/inside_beyond.h"

namespace xg2lab {

class EntryWalk {
 public:
  // `steps` may be null: then the steps after the rule are not recorded.
  EntryWalk(WalkScratch& scratch, const TokenSets& tokens, const EntryKey& key,
            const MaskOptions& options, BeyondSteps* steps);

  void run();
  // Walks only below `return_nodes`, the nodes at which an earlier walk of an equal rule recorded
  // that the rule had ended. The earlier walk's rule part is still valid.
  void run_beyond(std::span<const uint32_t> return_nodes);
  // Estimates by samples how many nodes run() would enter (estimate_visits).
  uint64_t estimate(size_t n_samples);

  AdaptiveMask accepted();
  MemberConditions& conditions() { return inside_.conditions(); }
  std::vector<TokenRank>& beyond() { return inside_.result().alive_beyond; }
  std::vector<uint32_t>& return_nodes() { return inside_.result().return_nodes; }
  uint64_t n_visits() const { return walker_.n_visits() + n_visits_beside_; }

 private:
  void walk_bytes_read();
  // Moves the walker to the state after `bytes`. `path` is what the walker has read before; it
  // becomes `bytes`.
  void read_to(std::string_view bytes, std::string_view& path);
  void begin(const Home* home);

  // ---- Text: entry_walk_text.cc ----
  void look_for_home();
  void look_for_chain(bool is_asked_again);
  bool is_worth_home();
  const HomeMask& home_mask();
  void run_from_home(const WalkState& home);
  // False: the walk was abandoned, and its results were discarded.
  bool run_beside_home(const HomeMask& known);
  void run_along_chain();
  void accept_text_of_chain();
  void leave_text(std::span<const TextClass::Exit> exits, const FirstBytes& as_text);
  void sort_lists();
  void set_ranks(const std::vector<RankRange>& ranges, uint32_t shift);
  bool is_read_beyond(const FirstBytes& text) const {
    return (inside_.bytes_read(inside_.entry()) & text).any();
  }
  // True if run() enters no node below this depth: both parsers are dead, or at home, where exits
  // are counted separately.
  bool goes_no_further(size_t depth) const;

  ColumnTable& table_;
  Homes& homes_;
  HomeMasks& home_masks_;
  const TokenSets& tokens_;
  const MaskOptions& options_;
  InsideBeyond inside_;
  TrieWalker<InsideBeyond> walker_;
  std::optional<Home> home_;
  std::optional<TextChain> chain_;
  std::vector<uint32_t> words_;  // the accepted tokens of text as a bitmask; else empty
  std::optional<BesideHome> beside_;
  uint64_t n_visits_beside_ = 0;
};

}  // namespace xg2lab
