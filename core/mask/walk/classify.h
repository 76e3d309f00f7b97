// Classification: one walk of the token trie beside the parser decides a state's accepted, rejected
// and uncertain tokens.
//
// Twin:  xg2lab/reference/mask.py
// Tests: tests/differential/test_engine_vs_twin.py
//
// IDEA
//   Two parsers walk down the trie together.
//     inside   starts in the state, its goal asked from outside. While the inside lives, the token
//              is accepted.
//     beyond   starts whenever the inside completes its goal, at every place where a caller could
//              go on (the context expansion of XGrammar section 3.2, over all callers at once).
//              When both are dead, the subtree is rejected, in every context. When only the beyond
//              lives, the token is uncertain, because this context may not be the right one.
//   The nodes at which the inside died after its goal was complete are noted: below them, and
//   nowhere else, the callers decide. If an equal rule stands among other callers, only those
//   subtrees are walked again (adapt). If there is only one context
//   (ProgramRule::has_unique_context), the beyond decides, and nothing stays uncertain.
//
//   In the child of a counted rule the inside is the whole counted rule (EntryPlace): the tokens
//   that end the repetition are uncertain, not those that end one iteration.
//
//   In a member rule (program.h) the inside is walked as if every member might still be matched.
//   Where a token tells members apart, the entry names the members that the token leads to
//   (MemberCondition); where none of them may be matched any more, the token is not accepted. So
//   an entry of the place before a key serves all sets of keys.
//
//   Where most characters lead the inside back to its column (home.h), or all of them to one next
//   column (text_chain.h), only other characters are walked. The rule may end after each character:
//   if its callers read no text, the beyond is the same after each.
//
// EXAMPLE  root ::= "[" item ("," item)* "]"; item ::= [0-9]+.  In item after "1":
//   "23" accepted; "a" rejected; "1,2" and "1]" uncertain: `item` is called from two places. "1x"
//   rejected all the same: no caller goes on with "x".
//
// COST      classify: one known step a trie node and parser, about; subtrees are left at the first
//           dead byte. adapt: the same for the noted subtrees, and the bytes that lead to them.
//           estimate_visits: a step for each byte of the samples that the walk comes to, at most;
//           and finding a home.
#pragma once

#include "mask/plan/plan.h"
#include "mask/sets/adaptive_mask.h"
#include "mask/walk/home_masks.h"
#include "parse/column_table.h"
#include "vocab/token_sets.h"

namespace xg2lab {

// What a state's own rule decides, whoever called it.
struct InsidePart {
  AdaptiveMask accepted;          // the rule is alive to the token's end
  std::vector<uint32_t> left_at;  // trie nodes: the rule died here, but had ended before

  size_t memory_size_bytes() const {
    return sizeof(InsidePart) + accepted.memory_size_bytes() + left_at.capacity() * 4;
  }
};

// What a walk found besides the entry: what a pool needs to use it again.
struct WalkRecord {
  InsidePart inside;
  BeyondSteps steps;
  uint64_t n_visits = 0;  // trie nodes that were stepped to
};

// `scratch`: of the program, used by one thread. `record` may be null.
MaskEntry classify(WalkScratch& scratch, const TokenSets& tokens, const EntryPlace& place,
                   const MaskOptions& options, WalkRecord* record = nullptr);

// The same entry, given what an equal rule's walk found inside; for a state's own rule.
MaskEntry adapt(WalkScratch& scratch, const TokenSets& tokens, StateId state,
                const InsidePart& inside, const MaskOptions& options, BeyondSteps* steps);

// How many trie nodes classify would step to for a state's own rule, about. `n_samples` nodes,
// evenly spread over the trie, are asked whether the walk comes to them (Knuth 1975 sampled search
// trees to foretell a search's cost). The walk of a sample shares what it can with the one before,
// and a dead beginning answers for all samples below it. With as many samples as nodes, and no
// home, it is exact.
//   root ::= "true": the 256 or so first bytes, and what begins with "t"
//   root ::= [^]*: all nodes, or a home
constexpr size_t kCostSamples = 512;
uint64_t estimate_visits(WalkScratch& scratch, const TokenSets& tokens, StateId state,
                         const MaskOptions& options, size_t n_samples = kCostSamples);

// The column from which the inside walks.
ColumnId inside_of(ColumnTable& table, const EntryPlace& place);

}  // namespace xg2lab
