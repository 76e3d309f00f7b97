// Of many parts in a row that may each be left out, stretches become rules.
//
// Tests: tests/core/test_growth_machines.py
//
// IDEA
//   In "a"? "b"? "c"? ... any part may follow any earlier one. Without epsilon edges that is an
//   edge for each pair, n^2 / 2 of them, however the machine is made. A rule that may match the
//   empty string is one edge, and the parser steps over it where it predicts it. So a run of n
//   such parts becomes n / 64 rules of 64: the edges grow with n.
//
// EXAMPLE   root ::= a0? a1? ... a999?   becomes   root ::= root_stretch root_stretch_2 ...   root_stretch ::= a0? ... a63?
//           root ::= a0? a1? ... a63?    stays
//
// COST      a glance at each expression where there is no such run.
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

// Sequences must be flat (normalize).
Grammar split_optional_runs(Grammar grammar);

// Whether it would find any.
bool has_long_sequence(const Grammar& grammar);

}  // namespace xg2lab::passes
