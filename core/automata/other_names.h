// All names of a JSON object but some: the machine of their bytes, made at once.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   code_points_to_bytes.h makes this machine out of the language `not (a | b | ...)`. Names are nearly always of characters that can be
//   written in one way only, though; then it is a trie whose every state goes on to "any other name" by the bytes that its names
//   don't have. States that agree are one, as they are found from the leaves on: so the machine is minimal.
//
// EXAMPLE   ["id", "in"]:   i -> {d, n -> not the end}; any other byte -> any text
//
// COST      linear in the bytes of the names, with a logarithm.   SEE ALSO  Daciuk et al. 2000 (acyclic automata from their leaves).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "automata/fsm.h"

namespace xg2lab {

// The same as to_bytes(complement(one_of_texts(names)), Spelling::kJsonName), to the last state. Nothing: there is no name, or a
// name has a character that a JSON name can spell in several ways (or none).
std::optional<FrozenFsm> other_names(std::span<const std::string_view> names);

}  // namespace xg2lab
