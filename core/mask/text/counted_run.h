// A counted run: a repetition of single bytes with a bound, as white space has, walked in its
// context as if it had none.
//
// Tests: tests/core/test_counted_run.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   White space stands between all that a JSON text has, so whatever may come next may follow it:
//   an entry for all its callers pays for the union of them. In its context it is cheap to ask: the
//   tokens that begin with white space are few, and go on as the parse goes on right here. So a
//   mask is united of the other places' entries and one walk of these tokens.
//
//   In [ \t\n\r]{0,64} each byte leads to a column of its own, for its count. But until the bound
//   they differ in nothing else: white space leads to the next one, and what may follow the run
//   follows all of them. So the walk stays in the first of them, and what has too much white space
//   for the bound is taken out: a few subtrees of the trie.
//
//   root ::= "{" ws "\"" ...   ws ::= [ \t\n\r]{0,64}
//   after `{`: 2 columns and what follows, instead of 65
//
// WHEN IT HOLDS
//   The child is one byte of a set, the repetition may end after it, whatever its count, and
//   nothing else reads a byte of the set: neither what stands beside the run nor what may follow
//   it. So all such bytes at a token's beginning are the run's. It is asked of the first two
//   columns of the run; all later ones are made of these as the second is of the first.
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
  StateId state;  // before each byte
  FirstBytes bytes;
  size_t most = 0;         // bytes until the bound, from where the walk begins
  ColumnId inside{kDead};  // the column after the first of them
  bool is_apart = false;   // whether nothing that stands beside it before that reads one of them
};

// The run that `from` is in, or before. None: it is in none, or in one of which too little is
// known.
std::optional<CountedRun> find_counted_run(ColumnTable& table, ColumnId from);

// The ranks of the tokens that begin with more than run.most of its bytes. Ascending.
std::vector<RankRange> beyond_run(const TokenSets& tokens, const CountedRun& run);

// What is in one of `ranges` and in none of `others`. All ascending.
std::vector<RankRange> without(const std::vector<RankRange>& ranges,
                               const std::vector<RankRange>& others);

}  // namespace xg2lab
