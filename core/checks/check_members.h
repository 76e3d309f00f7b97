// Refuses any-order members that match the empty string: such a member could be matched anywhere,
// any number of times.
//
// Tests: tests/core/test_any_order.py
//
// EXAMPLE   AnyOrder(a, b)   a ::= [0-9]*     error nullable_member, at `a`: write a?, and make `a`
//                                             match at least one digit
//           AnyOrder(a, b, sep=ws)   ws ::= [ ]*     fine: separators may be empty
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::checks {

// Returns the grammar unchanged, or throws a GrammarError that lists all such members.
Grammar check_members(Grammar grammar);

}  // namespace xg2lab::checks
