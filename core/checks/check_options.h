// Warns of rule options that can't do what their author intends.
//
// Tests: tests/core/test_rule_options.py
//
// EXAMPLE   word[lazy] ::= [a-z]+     ends after one letter, as intended
//           word[lazy] ::= [a-z]*     ends before the first letter: warning lazy_matches_empty
//
// NOT HERE  bodies that are not regular or need too many states: lower/regular_rules.h, which makes
//           the machines.
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::checks {

Grammar check_options(Grammar grammar);

}  // namespace xg2lab::checks
