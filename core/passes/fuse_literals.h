// Neighbouring literals become one: fewer nodes, and one state less at each joint.
//
// Tests: tests/core/test_passes.py
//
// EXAMPLE   "a" "b" c "d"  becomes  "ab" c "d".      "a" ("b" | "c") stays.
//
// NEEDS     flat sequences (normalize).
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

// The joined literal's span reaches from the first literal's beginning to the last one's end, if
// they are in that order in the text; else (an inlined part) it is the first one's.
Grammar fuse_literals(Grammar grammar);

}  // namespace xg2lab::passes
