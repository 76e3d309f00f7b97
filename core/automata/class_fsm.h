// A machine of one code point out of a set, on UTF-8 bytes.
//
// Tests: tests/unit/lower_sequence_machine.cc, tests/core/test_operators.py
//
// EXAMPLE   [a-cé]   0 -[a-c]-> 1, 0 -[C3]-> 2, 2 -[A9]-> 1; state 1 accepts.
//
// COST      linear in the byte sequences of the set (utf8.h).
#pragma once

#include <span>

#include "automata/fsm.h"
#include "support/code_points.h"

namespace xg2lab {

// `ranges`: scalar values. A path of its own for each sequence of bytes, from the start (state 0)
// to the accepting state (1). The edges have no origins.
Fsm class_fsm(std::span<const CodePointRange> ranges);

}  // namespace xg2lab
