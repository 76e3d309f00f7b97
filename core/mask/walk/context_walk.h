// The mask of one column by a walk of the vocabulary from that very column, without entries of
// states.
//
// Tests: tests/differential/test_engine_vs_twin.py, tests/core/test_context_walk.py
//
// IDEA
//   An entry says what a state's rule decides in every context, and pays for the union of all
//   contexts. Where words follow each other with spaces between, as in programs, that union takes
//   nearly any token: half the vocabulary stays uncertain and is looked at again in each context.
//   There the context itself is asked, and nothing else: what its column does not read is left at
//   the first byte, and steps that are known from other contexts' walks are look-ups.
//
//     "{" string ":" number "}"              tokens that outlive the string begin with `"`: entries
//     statement ::= NAME NAME "=" NAME ";"   after a name, callers decide ` x`, ` y`, ...: a walk
//
//   In a name most characters lead back to the same column: it is a home (home.h), and of the
//   subtree of a node that stands there only the characters that lead elsewhere are walked.
//
// COST      a known step for each node that is alive and does not stay at home; and new columns.
// THREADS   any: the table's.
#pragma once

#include "mask/plan/plan.h"
#include "mask/sets/adaptive_mask.h"
#include "mask/text/counted_run.h"
#include "parse/column_table.h"

namespace xg2lab {

// The tokens that `column` takes by their bytes. `run`: the run that the column is in, or null.
AdaptiveMask walk_in_context(ColumnTable& table, const TokenSets& tokens, ColumnId column,
                             const CountedRun* run, const MaskOptions& options);

// Of the column that the run was found at: the tokens that begin with a byte of the run.
AdaptiveMask walk_run(ColumnTable& table, const TokenSets& tokens, const CountedRun& run,
                      const MaskOptions& options);

}  // namespace xg2lab
