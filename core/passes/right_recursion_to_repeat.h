// A rule that goes on with itself at its end becomes a repetition.
//
// Tests: tests/core/test_passes.py
//
// IDEA
//   A ::= x A | y   has the least solution   A ::= x* y   (Arden's lemma), and a repetition costs a
//   parser no nesting: right recursion would leave one unfinished match of A behind for each x.
//
// TRICK  also when A occurs inside x, which Arden's lemma doesn't allow for. Why equal: let L solve
//   the first equation least, M the second. L = X(L) L | Y, so by the lemma, with X(L) held
//   constant, X(L)* Y is contained in L; hence M is. M = X(M)* Y = X(M) M | Y, so M solves the
//   first; hence L is contained in M.
//
//   list ::= item | item "," list      becomes  (item ",")* item
//   tree ::= "(" tree ")" tree | ""    becomes  ("(" tree ")")* ""
//   list ::= item | list "," item      stays: left recursion costs nothing in an Earley parser
//
// NEEDS     normalize before (flat alternatives), a grammar whose rules are productive.
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

Grammar right_recursion_to_repeat(Grammar grammar);

}  // namespace xg2lab::passes
