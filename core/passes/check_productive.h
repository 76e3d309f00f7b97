// Removes the parts of a grammar that match nothing; refuses a grammar whose root matches nothing.
//
// Tests: tests/core/test_passes.py
//
// IDEA
//   A part is productive if it matches at least one string (analysis/derive.h). With an
//   unproductive part, a parser would accept prefixes that can't be completed, and a mask would
//   lead a model into a dead end. So unproductive parts are removed, and every prefix that the
//   parser accepts can be completed.
//
//   root ::= "a" | b    b ::= "x" b      "x" would be a prefix without completion: becomes
//                                        root ::= "a"
//   root ::= "x" root                    refused: a match can begin but never end
//
// COST      linear in the grammar.
// SEE ALSO  Hopcroft and Ullman 1979, section 4.4 (useless symbols).
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

// Adds a warning never_matches for each part removed. Throws GrammarError never_matches if the root
// is unproductive.
Grammar check_productive(Grammar grammar);

}  // namespace xg2lab::passes
