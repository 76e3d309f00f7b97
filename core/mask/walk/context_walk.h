// The mask of one column by one walk of the token trie from that column, without entries of states.
//
// Tests: tests/differential/test_engine_vs_twin.py, tests/core/test_context_walk.py
//
// IDEA
//   An entry holds what a state's rule decides in every context, so building an entry takes all
//   contexts together. In grammars where words follow each other with spaces between, as in
//   programming languages, some context accepts nearly any token: half the vocabulary stays
//   uncertain, and is checked again in each context. Here the walk reads the trie in one context
//   only. A subtree is skipped at the first byte that the column does not read, and steps that
//   walks in other contexts have made are look-ups.
//
//     "{" string ":" number "}"             after a string, tokens begin with `"`: entries
//     statement ::= NAME NAME "=" NAME ";"  after a name, callers decide ` x`, ` y`, ...: a walk
//
//   In a name most characters lead back to the same column: the column is a home (home.h). In the
//   subtree of a node at the home, only characters that lead elsewhere are walked.
//
// COST      a known step for each node that is live and not skipped as text; and new columns.
// THREADS   any: those of the table.
#pragma once

#include "mask/plan/plan.h"
#include "mask/sets/adaptive_mask.h"
#include "mask/text/counted_run.h"
#include "parse/column_table.h"

namespace xg2lab {

// The tokens that `column` accepts by their bytes. `run`: the counted run whose bytes `column` may
// read; null if there is none.
AdaptiveMask walk_in_context(ColumnTable& table, const TokenSets& tokens, ColumnId column,
                             const CountedRun* run, const MaskOptions& options);

// The tokens that begin with a byte of the run and that the column before the run accepts.
AdaptiveMask walk_run(ColumnTable& table, const TokenSets& tokens, const CountedRun& run,
                      const MaskOptions& options);

}  // namespace xg2lab
