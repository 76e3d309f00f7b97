// Turns max_chars of a repeated character into a bound of the repetition.
//
// Tests: tests/core/test_rule_options.py
//
// IDEA
//   If every iteration matches one character, the number of characters is the number of iterations.
//   Repetitions with bounds cost nothing, however large the bounds.
//
// EXAMPLE   text[max_chars=5000] ::= [^<]*      becomes  text ::= [^<]{0,5000}
//           text[max_chars=5000] ::= [a-z]+ "." stays: lower/regular_rules.h counts in its machine
//
// NEEDS     normalize first: a character is a literal of one code point or a class.
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

Grammar bound_characters(Grammar grammar);

}  // namespace xg2lab::passes
