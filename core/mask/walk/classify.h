// Classification: one walk of the token trie decides which tokens a state accepts, rejects or
// leaves uncertain.
//
// Twin:  xg2lab/reference/mask.py
// Tests: tests/differential/test_engine_vs_twin.py, tests/unit/mask_classify.cc
//
// IDEA
//   Two parsers read the bytes of the trie together.
//     inside   begins in the state, and completes the goal for an unknown caller. A token is
//              accepted while the inside is live.
//     beyond   begins each time the inside completes the goal, in all states where a caller could
//              continue (context expansion, XGrammar section 3.2, over all callers together).
//   If both parsers are dead at a node, the node's subtree is rejected in every context. If only
//   the beyond is live, the token is uncertain, because the caller that continues may not be the
//   one of this context.
//
//   The walk records the nodes at which the inside died after its goal was complete (return_nodes).
//   Callers decide tokens below these nodes and nowhere else. For an equal rule with other callers,
//   adapt() walks only those subtrees again. If the rule has only one context
//   (ProgramRule::has_unique_context), the beyond decides, and no token is uncertain.
//
//   In the child of a counted rule, the inside covers the whole counted rule (EntryKey): tokens
//   are uncertain if the repetition ends within them, not if one match of the child ends within
//   them.
//
//   In a member rule (program.h), the inside is walked as if every member might still be matched.
//   If tokens lead to different members, the entry names the members that each token leads to
//   (MemberCondition). If none of a token's members may be matched any more, the token is not
//   accepted. So one entry for the state before a key serves all sets of matched keys.
//
//   If most characters lead the inside back to its column (home.h), or all of them to one next
//   column (text_chain.h), only the other characters are walked. If the rule may end after each of
//   these characters and its callers read no text, the beyond is the same after each.
//
// EXAMPLE  root ::= "[" item "]" | item "," item; item ::= [0-9]+.  In item after "1":
//   "23" accepted; "a" rejected; "1,2" and "1]" uncertain: `item` is called from several contexts.
//   "1x" rejected, because no caller reads "x".
//
// COST      classify: about one known step for each trie node and parser; a subtree is skipped at
//           its first dead byte. adapt: the same for the recorded subtrees and the bytes that lead
//           to them. estimate_visits: at most a step for each byte of the samples that the walk
//           reaches, and the search for a home.
#pragma once

#include "mask/plan/plan.h"
#include "mask/sets/adaptive_mask.h"
#include "mask/walk/home_masks.h"
#include "parse/column_table.h"
#include "vocab/token_sets.h"

namespace xg2lab {

// The part of an entry that the state's own rule decides, whatever called the rule.
struct InsidePart {
  AdaptiveMask accepted;               // the rule is live to the token's end
  std::vector<uint32_t> return_nodes;  // trie nodes where the rule dies, its goal complete before

  size_t memory_size_bytes() const {
    return sizeof(InsidePart) + accepted.memory_size_bytes() + return_nodes.capacity() * 4;
  }
};

// The results of a walk besides the entry, which the pool needs to reuse the entry.
struct WalkRecord {
  InsidePart inside;
  BeyondSteps steps;
  uint64_t n_visits = 0;  // trie nodes that were entered
};

// Builds the entry of `key`. `scratch` belongs to the same program and to one thread. `record`
// may be null.
MaskEntry classify(WalkScratch& scratch, const TokenSets& tokens, const EntryKey& key,
                   const MaskOptions& options, WalkRecord* record = nullptr);

// Builds the state's own entry from the rule part of an equal rule's entry. Only tokens below
// inside.return_nodes are walked.
MaskEntry adapt(WalkScratch& scratch, const TokenSets& tokens, StateId state,
                const InsidePart& inside, const MaskOptions& options, BeyondSteps* steps);

// Estimates how many trie nodes classify would enter for the state's own entry. The estimate takes
// `n_samples` nodes, spread evenly over the trie, and counts those that the walk reaches (Knuth
// 1975 estimates the size of search trees by samples). A sample shares the steps of its common
// prefix with the sample before, and a dead prefix decides all samples below it. The estimate is
// exact if each node is a sample and the state has no home.
//   root ::= "true": about 256 first bytes, and the tokens that begin with "t"
//   root ::= [^]*: all nodes, or a home
constexpr size_t kCostSamples = 512;
uint64_t estimate_visits(WalkScratch& scratch, const TokenSets& tokens, StateId state,
                         const MaskOptions& options, size_t n_samples = kCostSamples);

// The column in which the inside begins.
ColumnId inside_of(ColumnTable& table, const EntryKey& key);

}  // namespace xg2lab
