// Combines grammars: their concatenation, or their union.
//
// Tests: tests/core/test_grammar.py
//
// The combined root is named `root`. A rule whose name is taken gets a number: root_1, root_2.
// Spans are dropped, since they refer to different texts.
#pragma once

#include <vector>

#include "grammar/grammar.h"

namespace xg2lab {

// `grammars` must not be empty.
Grammar concat_grammars(const std::vector<const Grammar*>& grammars);
Grammar unite_grammars(const std::vector<const Grammar*>& grammars);

}  // namespace xg2lab
