// Holds what an author promised about a rule against what the grammar lets follow it.
//
// Twin:  xg2lab/reference/lookahead.py
// Tests: tests/core/test_lookahead.py
//
// IDEA
//   `name ::= [a-z]+ (= "=")` says: whatever follows a `name`, anywhere in an output, begins with
//   "=". It restricts nothing, and masks need no such help (docs/design/0003); but a promise that
//   the grammar doesn't keep is a mistake in one of the two, and here it is found:
//
//   root ::= name "=" name "="    kept, and nothing is said
//   root ::= name "=" name ";"    lookahead_not_kept: after the second `name` stands ";"
//   root ::= name "=" name        lookahead_not_kept: the output may end after the second `name`
//
// WHAT IS DECIDED
//   Exactly, with a shortest counterexample: every assertion whose rules refer to themselves only
//   at the ends of their bodies, or only at their beginnings (or not at all).
//   For others both answers that are given are right, but there may be none: what can't follow any
//   text of a rule is found broken; what is spelled with the same rules is found kept.
//   Beyond kMaxSteps an assertion isn't compared. "Not checked" is a hint.
//
// COST      nothing for a grammar without assertions; else one walk over the rules, and for each
//           assertion as follow_walk.h says.
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::checks {

// Warning lookahead_not_kept; hints lookahead_not_checked and lookahead_promises_nothing. The
// grammar is productive (check_productive).
Grammar check_lookaheads(Grammar grammar);

}  // namespace xg2lab::checks
