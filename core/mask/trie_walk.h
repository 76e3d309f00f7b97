// The walk of the trie beside two parsers, of which classify.h makes entries.
//
// Tests: tests/core/test_long_walks.py, tests/core/test_free_text.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   The plain walk goes through the subtrees of all bytes that the state reads, by a table of places (place_table.h). Text needs
//   no such walk: from a home (home.h) and along a chain (text_chain.h) what stays text is known, and what leaves it is walked once
//   for each kind. What a home accepts is found once, and a state that comes home is walked beside it (home_masks.h).
//
//   If much of the vocabulary leaves the home, as with [a-z0-9_]+, the home's mask decides few
//   tokens of other states: then the home itself is walked plainly, once a second walk reaches it.
//   A walk beside the home has a budget of some thousand nodes; past it the plain walk takes over,
//   which decides ranges of nodes instead of single ones.
//
// COST      a known move a node: about a millisecond for the whole of Llama-3's trie.   THREADS  of one walk.
#pragma once

#include <bitset>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "mask/classify.h"
#include "mask/home.h"
#include "mask/home_masks.h"
#include "mask/member_conditions.h"
#include "mask/place_table.h"
#include "mask/text_chain.h"

namespace xg2lab {

class TrieWalk {
 public:
  // `steps` may be null: then nobody asks later what was seen beyond the rule.
  TrieWalk(WalkScratch& scratch, const TokenSets& tokens, const EntryPlace& place,
           const WalkOptions& options, BeyondSteps* steps);

  void run();
  // Only below the nodes at which an earlier walk of an equal rule left it: what it found inside still holds.
  void run_beyond(std::span<const uint32_t> left_at);
  // How many nodes run() would step to, by samples: see estimate_visits.
  uint64_t estimate(size_t n_samples);

  MemberConditions& conditions() { return conditions_; }
  AdaptiveMask accepted();
  std::vector<TokenRank>& beyond() { return alive_beyond_; }
  std::vector<uint32_t>& left_at() { return left_at_; }
  uint64_t n_visits() const { return n_visits_; }

 private:
  // ---- The walk: trie_walk.cc ----
  void walk_live_bytes();
  void walk(uint32_t begin, uint32_t end, int n_skips_left);
  // Goes through nodes that need no closer look, from `begin` on; the first that does, or `end`.
  uint32_t walk_alike(uint32_t begin, uint32_t end);
  void accept_alike(uint32_t first, uint32_t end);
  // The verdict on the tokens that end at a node; on all below it, if nothing is alive.
  void decide(uint32_t i);
  // They are for the callers to decide.
  void doubt(uint32_t begin, uint32_t end);
  void accept(uint32_t begin, uint32_t end) { extend(accepted_, begin, end); }

  // Both parsers read the byte that leads to `depth`.
  void step(uint8_t byte, size_t depth) { at_[depth] = move(at_[depth - 1], byte); }
  Move move(Move from, uint8_t byte) {
    const Move known = places_.next(from, byte);
    return known != PlaceTable::kUnknown ? known : new_move(from, byte);
  }
  Move new_move(Move from, uint8_t byte);
  Move move_to(const WalkPlace& place);
  WalkPlace after(const WalkPlace& above, uint8_t byte);
  uint32_t kind_of(const WalkPlace& place);
  const WalkPlace& place(size_t depth) const { return places_.at(at_[depth]); }
  ColumnId with_entry(ColumnId beyond);
  void start_anew(bool may_skip);

  std::bitset<256> live_bytes(ColumnId column) const;
  bool is_read_beyond(const FirstBytes& text) const { return (live_bytes(entry_) & text).any(); }
  // Whether no byte can follow, as beyond the root.
  bool is_spent(ColumnId beyond) const;
  // Dead, or at home: what leads elsewhere is counted apart.
  bool goes_no_further(size_t depth) const;
  // Whether the inside is at home, or on the way of a character that leads there in any case.
  bool is_at_home(uint32_t node, ColumnId inside) const;
  // Whether what is beyond is as it always is at home, and no token needs a condition for having been beyond.
  bool is_settled(const WalkPlace& place) const;

  // ---- Text: text_walk.cc ----
  void look_for_home();
  void look_for_chain(bool is_asked_again);
  bool is_worth_home();
  const HomeMask& home_mask();
  void run_from_home(const WalkPlace& home);
  void sort_lists();
  // False: it was given up, and nothing has been found yet.
  bool run_beside_home(const HomeMask& known);
  void give_up_home();
  bool walk_beside(uint32_t begin, uint32_t end, uint64_t n_most);
  void differ(uint32_t begin, uint32_t end);
  void run_along_chain();
  void accept_text_of_chain();
  void leave_text(std::span<const TextClass::Exit> exits, const FirstBytes& as_text);
  void walk_elsewhere(uint32_t top, int n_skips_left);
  void stand_at_home(size_t depth, bool has_ended) { stand_at(depth, home_->column(), has_ended); }
  void stand_at(size_t depth, ColumnId inside, bool has_ended);
  void set_ranks(uint32_t begin, uint32_t end);

  ColumnTable& table_;
  Homes& homes_;
  HomeMasks& home_masks_;
  const TokenSets& tokens_;
  const WalkOptions options_;
  BeyondSteps* steps_;
  const ColumnId entry_;
  ColumnId start_ = kDead;
  std::optional<Home> home_;
  std::optional<TextChain> chain_;
  // What is beyond after a character of text, if the goal may end there.
  ColumnId beyond_text_ = kDead;
  PlaceTable& places_;
  std::vector<Move> at_;   // by depth
  bool may_skip_ = false;  // whether a home is looked for on the way
  // What is found.
  std::vector<RankRange> accepted_;       // ascending; beside accepted_words_, if that is used
  std::vector<uint32_t> accepted_words_;  // a bitmask; empty unless there is text
  std::vector<TokenRank> alive_beyond_;
  std::vector<uint32_t> left_at_;
  uint64_t n_visits_ = 0;
  std::unordered_map<uint32_t, ColumnId> joined_;
  MemberConditions conditions_;
  bool has_conditions_ = false;  // whether they are added
  // Beside home.
  const HomeMask* known_ = nullptr;
  std::vector<Move> at_home_;      // by depth
  std::vector<uint32_t> without_;  // ids that the home accepts and we don't
  std::vector<uint32_t> more_;     // and the other way round
  // Nodes before which we stood elsewhere than from home, ascending; the tokens that end there.
  std::vector<RankRange> other_nodes_;
  std::vector<RankRange> other_ranks_;
};

}  // namespace xg2lab
