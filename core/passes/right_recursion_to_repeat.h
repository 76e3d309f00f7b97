// Turns right recursion into repetition.
//
// Tests: tests/core/test_passes.py
//
// IDEA
//   A ::= x A | y   has the least solution   A ::= x* y   (Arden's lemma). A repetition needs no
//   nesting in the parser, whereas right recursion leaves one unfinished match of A for each x.
//   Alternatives with A at both ends, the usual way to write operators, are rewritten too: A ::= A
//   m A | x A | y   becomes   A ::= (x* y m)* x* y,   which also removes the ambiguity.
//
//   list ::= item | item "," list      becomes  (item ",")* item
//   tree ::= "(" tree ")" tree | ""    becomes  ("(" tree ")")* ""
//   sum  ::= sum "+" sum | [0-9]       becomes  ([0-9] "+")* [0-9]
//   list ::= item | list "," item      stays: left recursion costs nothing in an Earley parser
//
// TRICK  The rewriting is also applied if A occurs inside m, x or y, which the lemma excludes. Why
//   the result is equal: hold the inner occurrences constant, as a set Z, and let S(Z) be the least
//   solution in A. The least solution of the whole is the least Z with Z = S(Z) (the diagonal rule
//   of fixed points; all operations are monotone), and the lemma, with its form for m, gives S(Z)
//   exactly. That form: L = (X* Y M)* X* Y contains Y and is closed under v -> x v and v, w -> v m
//   w; conversely each string of L is derived this way.
//
// NEEDS     normalize first (flat alternatives), and a productive grammar.
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

Grammar right_recursion_to_repeat(Grammar grammar);

}  // namespace xg2lab::passes
