// A machine becomes a tree again, state by state.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   Take a state away, and write on each way around it what passing through it read: in, any rounds, out. When none is left
//   but start and end, the way between them is the language.
//
// EXAMPLE   0 -a-> 1 -b-> 1, accepting 1:   a(b)*
//
// COST      exponential in the worst case; nothing beyond `n_most` characters in the tree.
// SEE ALSO  Brzozowski and McCluskey 1963
#pragma once

#include <optional>

#include "automata/code_point_dfa.h"
#include "languages/regex/ast.h"

namespace xg2lab::regex {

std::optional<NodeId> tree_of(Ast& ast, const CodePointDfa& dfa, size_t n_most);

}  // namespace xg2lab::regex
