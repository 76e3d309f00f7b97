// Numbers for expressions: equal expressions have equal numbers, whatever their spans.
#pragma once

#include <vector>

#include "grammar/grammar.h"

namespace xg2lab::analysis {

// index: ExprId. COST  linear in the grammar, expected (a hash table that compares keys in full).
std::vector<uint32_t> structural_ids(const Grammar& grammar);

}  // namespace xg2lab::analysis
