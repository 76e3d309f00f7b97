// The walk that makes a state's entry: plain, from a home, beside a home, or along a chain.
//
// Tests: tests/core/test_long_walks.py, tests/core/test_free_text.py,
// tests/differential/test_engine_vs_twin.py
//
// IDEA
//   The plain walk enters the subtrees of all bytes that the state reads. Text needs no such walk:
//   from a home (home.h) and along a chain (text_chain.h) it is known which tokens stay text, and
//   of the tokens that leave the text in one way, one is walked for all. A home's mask is found
//   once; a state from which text leads to the home is walked beside it (beside_home.h).
//
//   If much of the vocabulary leaves the home, as with [a-z0-9_]+, the home's mask decides few
//   tokens of other states: then the home itself is walked plainly, once a second walk reaches it.
//   A walk beside the home has a budget of nodes; past it the plain walk takes over, which decides
//   ranges of nodes instead of single ones.
//
// COST      a known move a node: about a millisecond for the whole of Llama-3's trie.
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
  // `steps` may be null: then nobody asks later what was seen beyond the rule.
  EntryWalk(WalkScratch& scratch, const TokenSets& tokens, const EntryPlace& place,
            const MaskOptions& options, BeyondSteps* steps);

  void run();
  // Only below the nodes at which an earlier walk of an equal rule left it: what that walk found
  // inside still holds.
  void run_beyond(std::span<const uint32_t> left_at);
  // How many nodes run() would enter, by samples: see estimate_visits.
  uint64_t estimate(size_t n_samples);

  AdaptiveMask accepted();
  MemberConditions& conditions() { return inside_.conditions(); }
  std::vector<TokenRank>& beyond() { return inside_.found().alive_beyond; }
  std::vector<uint32_t>& left_at() { return inside_.found().left_at; }
  uint64_t n_visits() const { return walker_.n_visits() + n_visits_beside_; }

 private:
  void walk_bytes_read();
  // The walker stands behind `bytes`, of which it had read `path` before.
  void stand_behind(std::string_view bytes, std::string_view& path);
  void begin(const Home* home);

  // ---- Text: entry_walk_text.cc ----
  void look_for_home();
  void look_for_chain(bool is_asked_again);
  bool is_worth_home();
  const HomeMask& home_mask();
  void run_from_home(const WalkPlace& home);
  // False: it was given up, and nothing has been found yet.
  bool run_beside_home(const HomeMask& known);
  void run_along_chain();
  void accept_text_of_chain();
  void leave_text(std::span<const TextClass::Exit> exits, const FirstBytes& as_text);
  void sort_lists();
  void set_ranks(const std::vector<RankRange>& ranges, uint32_t shift);
  bool is_read_beyond(const FirstBytes& text) const {
    return (inside_.bytes_read(inside_.entry()) & text).any();
  }
  // Whether run() goes no further from here: dead, or at home, where exits are counted apart.
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
  std::vector<uint32_t> words_;  // the accepted tokens as a bitmask; empty unless they are text
  std::optional<BesideHome> beside_;
  uint64_t n_visits_beside_ = 0;
};

}  // namespace xg2lab
