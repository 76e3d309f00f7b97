// The recogniser of entries: a state's rule, and beside it what may follow the rule (classify.h).
//
// Tests: tests/core/test_long_walks.py, tests/core/test_free_text.py,
// tests/differential/test_engine_vs_twin.py
//
// IDEA
//   Two parsers read each byte: the *inside*, which begins in the state, and the *beyond*, which
//   begins anew at all places after the rule whenever the inside completes its goal. A place of the
//   walk is the pair of their columns. While the inside lives, the tokens of a node are accepted,
//   all alike unless members tell them apart (member_conditions.h). Once it is dead, a node is
//   looked at by itself: its tokens are for the callers to decide, or the subtree is left.
//
//   If a home is given (home.h), nodes at the home are looked at too: in their subtrees text leads
//   back to the home, and only other characters are walked.
//
// INVARIANTS
//   I1  found().accepted is ascending
//
// COST      a known move a node.   THREADS  of one walk.
#pragma once

#include <bitset>
#include <unordered_map>
#include <vector>

#include "mask/text/home.h"
#include "mask/walk/classify.h"
#include "mask/walk/home_masks.h"
#include "mask/walk/member_conditions.h"
#include "mask/walk/place_table.h"
#include "mask/walk/trie_walker.h"

namespace xg2lab {

// What a walk for an entry has found.
struct EntryFound {
  std::vector<RankRange> accepted;
  std::vector<TokenRank> alive_beyond;
  // Trie nodes at which the inside died, its goal having been complete.
  std::vector<uint32_t> left_at;
};

class InsideBeyond {
 public:
  using At = Move;
  using Places = PlaceTable<WalkPlace>;
  static constexpr std::string_view kWork = "a mask: the vocabulary's walk for a state";

  // `steps` may be null: then nobody asks later what was seen beyond the rule.
  InsideBeyond(WalkScratch& scratch, const TokenSets& tokens, const EntryPlace& place,
               const MaskOptions& options, BeyondSteps* steps);

  // ---- What the walker asks ----

  Move enter(Move above, const TrieNode& node, uint32_t) const {
    return places_.next(above, node.byte);
  }
  static Verdict verdict(Move move) { return Places::verdict(move); }
  Move resolve(Move above, uint32_t node) { return move(above, trie_[node].byte); }
  void take(uint32_t first, uint32_t end, Move here);
  void take_ranks(uint32_t begin, uint32_t end) { extend(found_.accepted, begin, end); }
  uint32_t look_closer(TrieWalker<InsideBeyond>& walker, uint32_t node, Move here, int n_nested);

  // ---- Places ----

  const WalkPlace& at(Move move) const { return places_.at(move); }
  Move move(Move above, uint8_t byte);
  Move move_to(const WalkPlace& place);
  // Where the walk begins.
  ColumnId start() const { return start_; }
  // The column beyond the goal.
  ColumnId entry() const { return entry_; }
  // Whether no byte can follow, as beyond the root.
  bool is_spent(ColumnId beyond) const;
  std::bitset<256> bytes_read(ColumnId column) const;

  // ---- Text ----

  // Forgets all places. From now on walks stay at this home; null: at none.
  void begin(const Home* home);
  // The column beyond after a character of text, if the goal may be complete there; kDead: it never
  // is.
  ColumnId beyond_text() const { return beyond_text_; }
  void set_beyond_text(ColumnId beyond) { beyond_text_ = beyond; }
  Move move_to_text(ColumnId inside, bool has_ended) {
    return move_to({inside, table_.at(inside).is_complete ? beyond_text_ : kDead, has_ended});
  }
  // Whether text leads from here back to the home, with the same beyond it: then stay() goes
  // through the subtree.
  bool may_stay(const Home& home, uint32_t node, const WalkPlace& here) const;
  void stay(TrieWalker<InsideBeyond>& walker, const Home& home, uint32_t node, Move here,
            int n_nested);
  bool is_settled(const WalkPlace& place) const;

  // ---- What is found ----

  // Decides the tokens of one node, and all below it if neither parser is alive. Returns the node
  // that comes next.
  uint32_t decide(uint32_t node, Move above, Move here);
  EntryFound& found() { return found_; }
  MemberConditions& conditions() { return conditions_; }
  bool notes_conditions() const { return notes_conditions_; }
  void note_conditions(bool does) { notes_conditions_ = does; }
  // From now on steps are noted in `steps`; returns where they were noted before.
  BeyondSteps* exchange_steps(BeyondSteps* steps) { return std::exchange(steps_, steps); }
  BeyondSteps* steps() { return steps_; }

 private:
  WalkPlace after(const WalkPlace& above, uint8_t byte);
  ColumnId with_entry(ColumnId beyond);
  Verdict verdict_on(const WalkPlace& place);

  ColumnTable& table_;
  const TokenSets& tokens_;
  const TokenTrie& trie_;
  const bool expands_context_;
  BeyondSteps* steps_;
  const ColumnId entry_;
  const ColumnId start_;
  const Home* home_ = nullptr;
  ColumnId beyond_text_ = kDead;
  Places& places_;
  std::unordered_map<uint32_t, ColumnId> joined_;  // columns beyond, with the entry
  MemberConditions conditions_;
  bool notes_conditions_ = false;
  EntryFound found_;
};

}  // namespace xg2lab
