// Options of rules that can't do what their author wants.
//
// Tests: tests/core/test_rule_options.py
//
// EXAMPLE   word[lazy] ::= [a-z]+     ends after one letter: so it says
//           word[lazy] ::= [a-z]*     ends before the first letter: a warning, lazy_matches_empty
//
// NOT HERE  bodies that are not regular, or need too many states: lower/regular_rule.h, where machines are made.
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::checks {

Grammar check_options(Grammar grammar);

}  // namespace xg2lab::checks
