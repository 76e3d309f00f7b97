// Simplifies expressions: flat sequences and choices, no repetition of repetitions.
//
// Tests: tests/core/test_passes.py
//
// IDEA
//   Equations of regular expressions, each read from left to right:
//     (a b) c       =  a b c              a | (b | c)     =  a | b | c
//     a "" b        =  a b                a | [] | b      =  a | b            a [] b  =  []
//     a | b | a     =  a | b              [x]             =  "x"
//     (a{m,n}){k,l} =  a{m*k,n*l}         if no count in between is missing
//     (a | ""){m,n} =  a{0,n}             ""{m,n}         =  ""
//
// EXAMPLE   (a*)+, (a?)* and (a+)? all become a*.      (a{2})* stays: any even number of a.
//
// INVARIANTS
//   I1  no sequence in a sequence, no choice in a choice
//   I2  normalize(normalize(g)) == normalize(g)
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

Grammar normalize(Grammar grammar);

}  // namespace xg2lab::passes
