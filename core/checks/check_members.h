// Members in any order must match something: one that may be nothing could be matched anywhere, any number of times.
//
// Tests: tests/core/test_any_order.py
//
// EXAMPLE   AnyOrder(a, b)   a ::= [0-9]*     the error nullable_member, at `a`: write a?, and let `a` need a digit
//           AnyOrder(a, b, sep=ws)   ws ::= [ ]*     fine: separators may be nothing
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::checks {

// Returns the grammar as it is, or throws a GrammarError with all such members.
Grammar check_members(Grammar grammar);

}  // namespace xg2lab::checks
