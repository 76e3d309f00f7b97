// A rule that goes on with itself at its end becomes a repetition.
//
// Tests: tests/core/test_passes.py
//
// IDEA
//   A ::= x A | y   has the least solution   A ::= x* y   (Arden's lemma), and a repetition costs a
//   parser no nesting: right recursion would leave one unfinished match of A behind for each x.
//   Alternatives with A at both ends, the usual way to write operators, go the same way:
//   A ::= A m A | x A | y   is   A ::= (x* y m)* x* y,   which also takes away their ambiguity.
//
//   list ::= item | item "," list      becomes  (item ",")* item
//   tree ::= "(" tree ")" tree | ""    becomes  ("(" tree ")")* ""
//   sum  ::= sum "+" sum | [0-9]       becomes  ([0-9] "+")* [0-9]
//   list ::= item | list "," item      stays: left recursion costs nothing in an Earley parser
//
// TRICK  also when A occurs inside m, x or y, which the lemma doesn't allow for. Why equal: hold
// the
//   inner occurrences constant, as a set Z, and let S(Z) be the least solution in A. The least
//   solution of the whole is the least Z with Z = S(Z) (the diagonal rule of fixed points; all
//   operations are monotone), and the lemma, with its form for m, gives S(Z) exactly. That form: L
//   = (X* Y M)* X* Y contains Y, and with v, w in it also x v and v m w; and each string of L is
//   made so.
//
// NEEDS     normalize before (flat alternatives), a grammar whose rules are productive.
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

Grammar right_recursion_to_repeat(Grammar grammar);

}  // namespace xg2lab::passes
