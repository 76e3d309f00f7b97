// Removes what can never match; refuses a grammar whose root can't.
//
// Tests: tests/core/test_passes.py
//
// IDEA
//   A part is productive if it matches at least one string (analysis/derive.h). A parser that follows
//   an unproductive part would call beginnings viable that can't be completed, and a mask would
//   lead a model into a dead end; so such parts go. What is left keeps this promise: whatever has
//   been read can be completed.
//
//   root ::= "a" | b    b ::= "x" b      "x" would be a beginning without an end: becomes root ::=
//   "a" root ::= "x" root                    refused: it can begin and never end
//
// COST      linear in the grammar.
// SEE ALSO  Hopcroft and Ullman 1979, section 4.4 (useless symbols).
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

// Warning never_matches for each part dropped. Throws GrammarError never_matches for the root.
Grammar check_productive(Grammar grammar);

}  // namespace xg2lab::passes
