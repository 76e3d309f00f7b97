// Splits long runs of optional parts into rules.
//
// Tests: tests/core/test_growth_machines.py
//
// IDEA
//   In "a"? "b"? "c"? ... any part may follow any earlier one. Without epsilon edges that takes an
//   edge for each pair, n^2 / 2 in all, in any machine. A call of a nullable rule is one edge, and
//   the parser steps over it at prediction. So a run of n optional parts becomes n / 64 rules of 64
//   parts each, and the number of edges grows linearly in n.
//
// EXAMPLE   root ::= a0? a1? ... a999?   becomes   root ::= root_stretch root_stretch_2 ...
//           root_stretch ::= a0? ... a63?
//           root ::= a0? a1? ... a63?    stays
//
// COST      one look at each expression if there is no such run.
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

// NEEDS     flat sequences (normalize).
Grammar split_optional_runs(Grammar grammar);

// Whether some sequence is long enough to contain such a run.
bool has_long_sequence(const Grammar& grammar);

}  // namespace xg2lab::passes
