// Joins neighbouring literals: fewer nodes, and one state fewer at each joint.
//
// Tests: tests/core/test_passes.py
//
// EXAMPLE   "a" "b" c "d"  becomes  "ab" c "d".      "a" ("b" | "c") stays.
//
// NEEDS     flat sequences (normalize).
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

// The joined literal's span runs from the start of the first literal to the end of the last one, if
// they occur in this order in the text; otherwise (an inlined part) it is the first literal's span.
Grammar fuse_literals(Grammar grammar);

}  // namespace xg2lab::passes
