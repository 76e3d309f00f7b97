// The names of a JSON object other than a given list, as a machine over bytes.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   code_points_to_bytes.h could build this machine from the language `not (a | b | ...)`. Names,
//   however, nearly always consist of characters with only one spelling; then the machine is a trie
//   in which every state leads to "any other name" on the bytes that its names don't use.
//   Equivalent states are merged while the trie is built from the leaves up, so the machine is
//   minimal.
//
// EXAMPLE   ["id", "in"]:   i -> {d, n -> not accepting}; any other byte -> any text
//
// COST      linear in the bytes of the names, times a logarithm.
// SEE ALSO  Daciuk et al. 2000 (acyclic automata built from their leaves).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "automata/fsm.h"

namespace xg2lab {

// Equal, state by state, to to_bytes(complement(one_of_texts(names)), Spelling::kJsonName). Nothing
// if there is no name, or if a name has a character that a JSON name can spell in several ways or
// in none.
std::optional<FrozenFsm> other_names(std::span<const std::string_view> names);

}  // namespace xg2lab
