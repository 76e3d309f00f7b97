// Compares each lookahead assertion with the texts that the grammar permits after the rule.
//
// Twin:  xg2lab/reference/lookahead.py
// Tests: tests/core/test_lookahead.py
//
// IDEA
//   `name ::= [a-z]+ (= "=")` promises that whatever follows a `name`, anywhere in an output,
//   begins with "=". The assertion restricts nothing, and masks don't need it (docs/design/0003);
//   but if the grammar breaks the promise, one of the two is a mistake, which is reported here:
//
//   root ::= name "=" name "="    kept: nothing is reported
//   root ::= name "=" name ";"    lookahead_not_kept: ";" follows the second `name`
//   root ::= name "=" name        lookahead_not_kept: the output may end after the second `name`
//
// WHAT IS DECIDED
//   Every assertion whose rules are recursive only at the ends of their bodies, or only at their
//   beginnings, or not at all, is decided exactly, with a shortest counterexample. For other
//   assertions both answers are correct when given, but neither may be reached: an assertion is
//   found broken if some following text matches no text of its rules, and kept if the following
//   text is written with the same rules. An assertion that takes more than kMaxSteps is not
//   decided; a hint says so.
//
// COST      nothing for a grammar without assertions; otherwise one walk over the rules, and for
//           each assertion the cost given in follow_walk.h.
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::checks {

// Adds warnings lookahead_not_kept, and hints lookahead_not_checked and lookahead_promises_nothing.
// The grammar must be productive (check_productive). A grammar with names of tokens is not checked
// before a vocabulary resolves them.
Grammar check_lookaheads(Grammar grammar);

}  // namespace xg2lab::checks
