// A counted run: a repetition of single bytes with an upper bound, such as white space, walked in
// its context as if the bound did not exist.
//
// Tests: tests/core/test_counted_run.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   White space may come between any two parts of a JSON text, so nearly anything may follow it. An
//   entry for white space would have to take into account all callers together. In one context the
//   walk is cheap: few tokens begin with white space, and the parser continues them only as this
//   context allows. The mask is therefore the union of the entries of the other states and of one
//   walk of the tokens that begin with a byte of the run.
//
//   In [ \t\n\r]{0,64} each byte leads to a new column, because the count is part of the column.
//   Below the bound these columns differ in the count alone: white space leads from each to the
//   next, and the same input may follow all of them. So the walk stays in the column after the
//   first byte. Afterwards the tokens with more white space than the bound allows are removed: a
//   few subtrees of the trie.
//
//   root ::= "{" ws "\"" ...   ws ::= [ \t\n\r]{0,64}
//   after `{`: the walk needs 2 columns and their successors outside the run, instead of 65
//
// CONDITIONS
//   The child is one byte of a set. The repetition may end after the child, whatever the count. No
//   other item reads a byte of the set: neither an item beside the run in the same column nor an
//   item that follows the run. So every byte of the set at the beginning of a token belongs to the
//   run. The conditions are checked for the first two columns of the run; each later column is made
//   from the one before as the second is made from the first.
//
// COST      finding: two steps of the table for each byte of the set, most of them known.
#pragma once

#include <optional>
#include <vector>

#include "mask/sets/adaptive_mask.h"
#include "parse/column_table.h"
#include "vocab/token_sets.h"

namespace xg2lab {

struct CountedRun {
  StateId state;  // the state before each byte of the run
  FirstBytes bytes;
  size_t most = 0;         // bytes of the run that the column may still read
  ColumnId inside{kDead};  // the column after the first byte of the run
  bool is_apart = false;   // no other item of the column before the run reads a byte of the set
};

// The run whose next byte `from` may read. None if `from` has no run, or the conditions do not hold
// for certain.
std::optional<CountedRun> find_counted_run(ColumnTable& table, ColumnId from);

// The ranks of the tokens that begin with more than run.most bytes of the run; ascending.
std::vector<RankRange> beyond_run(const TokenSets& tokens, const CountedRun& run);

// The ranks that are in `ranges` and not in `others`. Both lists are ascending, and so is the
// result.
std::vector<RankRange> without(const std::vector<RankRange>& ranges,
                               const std::vector<RankRange>& others);

}  // namespace xg2lab
