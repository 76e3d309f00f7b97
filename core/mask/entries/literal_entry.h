// The mask entry of a state within a literal, found along one path of the token trie.
//
// Tests: tests/core/test_literal_entries.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   From a state within a literal the machine reads one byte, and from the next state one byte
//   again. The entry accepts a token if the token's bytes begin the remaining bytes of the literal.
//   The accepted tokens end at the nodes of one path of the trie, so no column is needed to find
//   them.
//
//   The path ends where the trie has no further byte of the literal. If the literal ends first,
//   while longer tokens remain, the entry depends on what follows the literal, and a walk makes it
//   (entry_walk.h).
//
//   "temperature": from the state after `"te`, the tokens m, mp, mper, ... mperature are accepted.
//
// CONDITIONS
//   Each state of the path has one edge, for one byte, no call, and does not end its rule. Its
//   items carry neither counts nor members.
//
// COST      the siblings of each node of the path.
#pragma once

#include <optional>

#include "mask/sets/adaptive_mask.h"
#include "program/program.h"

namespace xg2lab {

// None if the conditions do not hold, or some token goes on after the literal.
std::optional<MaskEntry> literal_entry(const TokenSets& tokens, const Program& program,
                                       StateId state);

}  // namespace xg2lab
