// A deterministic machine with some of its states taken as one, in the form in which programs have them.
//
// Tests: tests/differential/test_engine_vs_twin.py, tests/core/test_program.py
//
// IDEA
//   Whoever knows that states are equal (minimize.h) says so by numbers; here the machine is written anew with one state for
//   each number. States that no accepting one can be reached from are left out, neighbouring ranges with one target are joined,
//   and states are numbered breadth-first.
//
// COST      O(edges), and a sort of the edges of those that are taken together.
#pragma once

#include <cstdint>
#include <span>

#include "automata/fsm.h"

namespace xg2lab {

// `rows`: as determinize() leaves them. `class_of`: of each state, below `n_classes`; states of one class have the same edges
// up to cuts and origins, which are united.
FrozenFsm quotient(const FrozenFsm& rows, std::span<const uint32_t> class_of, size_t n_classes,
                   OriginSets& origins);

// Each state by itself.
FrozenFsm trimmed(const FrozenFsm& rows, OriginSets& origins);

}  // namespace xg2lab
