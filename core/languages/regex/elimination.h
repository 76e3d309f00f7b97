// State elimination: turns a machine back into a tree.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   Eliminating a state replaces each path through it by an edge labelled with what the path reads:
//   in, any number of rounds, out. When only start and end are left, the edge between them is
//   labelled with the language.
//
// EXAMPLE   0 -a-> 1 -b-> 1, accepting 1:   a(b)*
//
// COST      exponential in the worst case; returns nothing if the tree would exceed `n_most`
//           characters.
// SEE ALSO  Brzozowski and McCluskey 1963
#pragma once

#include <optional>

#include "automata/code_point_dfa.h"
#include "languages/regex/ast.h"

namespace xg2lab::regex {

std::optional<NodeId> tree_of(Ast& ast, const CodePointDfa& dfa, size_t n_most);

}  // namespace xg2lab::regex
