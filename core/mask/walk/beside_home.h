// The walk of a state beside the walk from its home: where both stand alike, the home's mask holds.
//
// Tests: tests/core/test_free_text.py, tests/differential/test_beside.py
//
// IDEA
//   In an object with free keys, a token after `"na` is a piece of some key, as it is after `"` and
//   after `"x`. From each of these states every character leads to one column, the home, unless a
//   declared name has that character next. So the vocabulary is walked once from the home
//   (HomeMask). A walk from one of these states runs beside it: if both reach a node in the same
//   place, the node's subtree is left out, because the verdicts agree. Only the beginnings that
//   tokens share with declared names remain.
//
//     {"name": ..., "nation": ...} and any other keys
//     after `"na`   the nodes of m, t and their siblings; every other character leads home
//
// REPRESENTATION
//   A state's mask is the home's with a few ids taken out and added (AdaptiveMask::like), so a
//   state costs no row of the bitmask.
//
// COST      the nodes at which the walks differ; a budget of nodes, past which nothing is known.
// THREADS   of one walk.
#pragma once

#include <vector>

#include "mask/text/home.h"
#include "mask/walk/home_masks.h"
#include "mask/walk/inside_beyond.h"
#include "mask/walk/trie_walker.h"

namespace xg2lab {

class BesideHome {
 public:
  struct At {
    Move own = InsideBeyond::Places::kDeadMove;
    Move at_home = InsideBeyond::Places::kDeadMove;
    Verdict verdict = kDeadEnd;
  };
  static constexpr std::string_view kWork = InsideBeyond::kWork;

  // `walker` is the state's own, which stands where it begins. All outlive this.
  BesideHome(const TokenSets& tokens, TrieWalker<InsideBeyond>& walker, InsideBeyond& inside,
             const Home& home, const HomeMask& known, int n_nested, uint64_t n_most_visits);

  // False: it entered too many nodes, and was given up.
  bool run();
  // The uncertain tokens, and the nodes at which the rule was left, of what the home decides.
  void add_lists_of_home();
  AdaptiveMask accepted(const TokenSets& tokens);
  // Nodes that this walk entered, but for those of `walker`.
  uint64_t n_visits() const { return beside_.n_visits(); }

  // ---- What the walker asks ----

  At enter(const At& above, const TrieNode& node, uint32_t i);
  static Verdict verdict(const At& at) { return at.verdict; }
  At resolve(const At& above, uint32_t i) { return enter(above, tokens_.trie[i], i); }
  void take(uint32_t, uint32_t, const At&) {}
  void take_ranks(uint32_t, uint32_t) {}
  uint32_t look_closer(TrieWalker<BesideHome>& walker, uint32_t node, const At& here, int n_nested);

 private:
  bool is_over_budget() const { return own_.n_visits() + beside_.n_visits() > n_most_visits_; }
  void differ(uint32_t begin, uint32_t end);

  const TokenSets& tokens_;
  TrieWalker<InsideBeyond>& own_;
  InsideBeyond& inside_;
  const Home& home_;
  const HomeMask& known_;
  const int n_nested_;
  const uint64_t n_most_visits_;
  TrieWalker<BesideHome> beside_;
  std::vector<uint32_t> without_;  // ids that the home accepts and the state does not
  std::vector<uint32_t> more_;     // ids that the state accepts and the home does not
  // Nodes before which the walks stood in different places, ascending; the tokens that end there.
  std::vector<RankRange> other_nodes_;
  std::vector<RankRange> other_ranks_;
};

}  // namespace xg2lab
