// The recogniser of entries: a parser of a state's rule, and a second parser of what may follow the
// rule (classify.h).
//
// Tests: tests/core/test_long_walks.py, tests/core/test_free_text.py,
// tests/differential/test_engine_vs_twin.py
//
// IDEA
//   Two parsers read each byte. The *inside* begins in the state. The *beyond* begins in all states
//   after the rule, each time the inside completes its goal. The state of the walk (WalkState) is
//   the pair of their columns, with a bit that says whether the goal was completed. While the
//   inside is live, all tokens of a node are accepted, unless tokens lead to different members
//   (member_conditions.h). Once the inside is dead, each node is decided by itself: the callers
//   decide the node's tokens, or the subtree is skipped.
//
//   If a home is given (home.h), nodes at the home are decided by themselves too: in their subtrees
//   text leads back to the home, and only other characters are walked.
//
// INVARIANTS
//   I1  result().accepted is ascending
//
// COST      a known move for each node.
// THREADS   of one walk.
#pragma once

#include <bitset>
#include <unordered_map>
#include <vector>

#include "mask/text/home.h"
#include "mask/walk/classify.h"
#include "mask/walk/home_masks.h"
#include "mask/walk/member_conditions.h"
#include "mask/walk/transition_table.h"
#include "mask/walk/trie_walker.h"

namespace xg2lab {

// The results of a walk for an entry.
struct EntryWalkResult {
  std::vector<RankRange> accepted;
  std::vector<TokenRank> alive_beyond;
  // The trie nodes at which the inside died after its goal was complete.
  std::vector<uint32_t> return_nodes;
};

class InsideBeyond {
 public:
  using State = Move;
  using Transitions = TransitionTable<WalkState>;
  static constexpr std::string_view kWork = "walking the token trie from a state";

  // `steps` may be null: then the steps of the beyond are not recorded.
  InsideBeyond(WalkScratch& scratch, const TokenSets& tokens, const EntryKey& key,
               const MaskOptions& options, BeyondSteps* steps);

  // ---- The interface of a recogniser (trie_walker.h) ----

  Move enter(Move above, const TrieNode& node, uint32_t) const {
    return transitions_.next(above, node.byte);
  }
  static Verdict verdict(Move move) { return Transitions::verdict(move); }
  Move resolve(Move above, uint32_t node) { return move(above, trie_[node].byte); }
  void take(uint32_t first, uint32_t end, Move here);
  void take_ranks(uint32_t begin, uint32_t end) { extend(result_.accepted, begin, end); }
  uint32_t look_closer(TrieWalker<InsideBeyond>& walker, uint32_t node, Move here, int n_nested);

  // ---- States of the walk ----

  const WalkState& at(Move move) const { return transitions_.at(move); }
  Move move(Move above, uint8_t byte);
  Move move_to(const WalkState& state);
  // The column in which the inside begins.
  ColumnId start() const { return start_; }
  // The column after the goal: all states where a caller may continue.
  ColumnId entry() const { return entry_; }
  // True if no byte can follow, as after the root.
  bool is_spent(ColumnId beyond) const;
  std::bitset<256> bytes_read(ColumnId column) const;

  // ---- Text ----

  // Discards all states of the walk. Later walks skip text at `home`; null: they skip none.
  void begin(const Home* home);
  // The beyond after each character of text, if the goal may be complete there; kDead if it is
  // never complete there.
  ColumnId beyond_text() const { return beyond_text_; }
  void set_beyond_text(ColumnId beyond) { beyond_text_ = beyond; }
  Move move_to_text(ColumnId inside, bool has_ended) {
    return move_to({inside, table_.at(inside).is_complete ? beyond_text_ : kDead, has_ended});
  }
  // True if text leads from here back to the home with an equal beyond: then stay() walks the
  // subtree.
  bool may_stay(const Home& home, uint32_t node, const WalkState& here) const;
  void stay(TrieWalker<InsideBeyond>& walker, const Home& home, uint32_t node, Move here,
            int n_nested);
  bool is_settled(const WalkState& state) const;

  // ---- What is found ----

  // Decides the tokens of one node, and of its subtree if both parsers are dead. Returns the node
  // that comes next.
  uint32_t decide(uint32_t node, Move above, Move here);
  EntryWalkResult& result() { return result_; }
  MemberConditions& conditions() { return conditions_; }
  bool notes_conditions() const { return notes_conditions_; }
  void note_conditions(bool does) { notes_conditions_ = does; }
  // Redirects the recording of steps to `steps`; returns the old target.
  BeyondSteps* exchange_steps(BeyondSteps* steps) { return std::exchange(steps_, steps); }
  BeyondSteps* steps() { return steps_; }

 private:
  WalkState after(const WalkState& above, uint8_t byte);
  ColumnId with_entry(ColumnId beyond);
  Verdict verdict_on(const WalkState& state);

  ColumnTable& table_;
  const TokenSets& tokens_;
  const TokenTrie& trie_;
  const bool expands_context_;
  BeyondSteps* steps_;
  const ColumnId entry_;
  const ColumnId start_;
  const Home* home_ = nullptr;
  ColumnId beyond_text_ = kDead;
  Transitions& transitions_;
  std::unordered_map<uint32_t, ColumnId> joined_;  // beyond columns, united with entry_
  MemberConditions conditions_;
  bool notes_conditions_ = false;
  EntryWalkResult result_;
};

}  // namespace xg2lab
