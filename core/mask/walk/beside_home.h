// The walk of a state beside the known walk from its home: where both are in equal states, the
// verdicts of the home's mask are reused.
//
// Tests: tests/core/test_free_text.py, tests/differential/test_beside.py
//
// IDEA
//   In an object with free keys, a token after `"na` is a piece of some key, and so it is after `"`
//   and after `"x`. From each of these states every character leads to one loop column, the home
//   (home.h), unless a declared name continues with that character. So the trie is walked once from
//   the home (HomeMask). The walk from one of these states runs beside that walk: if both walks
//   reach a node in the same state, the node's subtree is skipped, because the verdicts agree. Only
//   prefixes that tokens share with declared names remain.
//
//     {"name": ..., "nation": ...} and any other keys
//     after `"na`   the nodes of m, t and their siblings; every other character leads home
//
// REPRESENTATION
//   The mask of such a state stores its differences from the home's mask (AdaptiveMask::like), not
//   a bitmask row of its own.
//
// COST      the nodes at which the walks differ. Past a budget of nodes the walk is abandoned
//           without a result.
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
  struct State {
    Move own = InsideBeyond::Transitions::kDeadMove;
    Move at_home = InsideBeyond::Transitions::kDeadMove;
    Verdict verdict = kDeadEnd;
  };
  static constexpr std::string_view kWork = InsideBeyond::kWork;

  // `walker` walks for the entry's own state; at depth 0 it is in that state. All arguments outlive
  // this object.
  BesideHome(const TokenSets& tokens, TrieWalker<InsideBeyond>& walker, InsideBeyond& inside,
             const Home& home, const HomeMask& known, int n_nested, uint64_t n_most_visits);

  // Runs the walk. False if it entered too many nodes; then the walk is abandoned.
  bool run();
  // Adds the home's uncertain tokens and the nodes where the rule ended, for the subtrees that this
  // walk skipped.
  void add_lists_of_home();
  AdaptiveMask accepted(const TokenSets& tokens);
  // The nodes that this walk entered, without those that `walker` entered.
  uint64_t n_visits() const { return beside_.n_visits(); }

  // ---- The interface of a recogniser (trie_walker.h) ----

  State enter(const State& above, const TrieNode& node, uint32_t i);
  static Verdict verdict(const State& state) { return state.verdict; }
  State resolve(const State& above, uint32_t i) { return enter(above, tokens_.trie[i], i); }
  void take(uint32_t, uint32_t, const State&) {}
  void take_ranks(uint32_t, uint32_t) {}
  uint32_t look_closer(TrieWalker<BesideHome>& walker, uint32_t node, const State& here,
                       int n_nested);

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
  // The nodes at which the walks were in different states, ascending; the ranks of the tokens that
  // end there.
  std::vector<RankRange> other_nodes_;
  std::vector<RankRange> other_ranks_;
};

}  // namespace xg2lab
