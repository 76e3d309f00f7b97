// The grammar that a tree of operators is made from: the author's, without what has no operator.
//
// Tests: tests/core/test_operators.py
//
// IDEA
//   A view should show what the author wrote, so few passes run, and only where they are needed:
//
//     parts that never match are dropped, since an operator can always be completed
//     right recursion becomes a repetition, if there is recursion
//     max_chars of a repeated character becomes a bound, if a rule has max_chars
//
//   Nothing is inlined, and literals stay apart, so each operator has a place in the source.
//
// EXAMPLE   list ::= item | item "," list   is shown as   (item ",")* item
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::operators {

// `grammar` names tokens by their ids alone (passes/resolve_token_names.h).
Grammar prepared(Grammar grammar);

}  // namespace xg2lab::operators
