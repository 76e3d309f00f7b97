// The quotient of a deterministic machine by a partition of its states, as a frozen machine.
//
// Tests: tests/differential/test_engine_vs_twin.py, tests/core/test_program.py
//
// IDEA
//   The caller (minimize.h) assigns equivalent states the same class number; the quotient has one
//   state for each class. States that can't reach an accepting state are dropped, neighbouring
//   ranges with the same target are joined, and states are numbered breadth-first.
//
// COST      O(edges), and a sort of the edges of merged states.
#pragma once

#include <cstdint>
#include <span>

#include "automata/fsm.h"

namespace xg2lab {

// `rows`: a result of determinize(). `class_of`: the class of each state, below `n_classes`. States
// of one class must have the same edges up to cuts and origins; origins are united.
FrozenFsm quotient(const FrozenFsm& rows, std::span<const uint32_t> class_of, size_t n_classes,
                   OriginSets& origins);

// The quotient in which each state is its own class.
FrozenFsm trimmed(const FrozenFsm& rows, OriginSets& origins);

}  // namespace xg2lab
