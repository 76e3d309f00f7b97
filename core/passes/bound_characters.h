// max_chars of a repeated character becomes a bound of the repetition.
//
// Tests: tests/core/test_rule_options.py
//
// IDEA
//   Where every iteration is one character, characters and iterations are the same, and a repetition with bounds costs
//   nothing, however large they are.
//
// EXAMPLE   text[max_chars=5000] ::= [^<]*      becomes  text ::= [^<]{0,5000}
//           text[max_chars=5000] ::= [a-z]+ "." stays: lower/regular_rules.h counts along its machine
//
// NEEDS     normalize before: characters are literals of one code point, or classes.
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

Grammar bound_characters(Grammar grammar);

}  // namespace xg2lab::passes
