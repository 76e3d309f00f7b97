// Enumerates small sets of values, for arrays of distinct items and for names.
//
// Tests: tests/json_schema/test_few_values.py
//
// EXAMPLE   ^[ab]$: "a", "b".   integer, 1 to 3: 1, 2, 3.   ^[ab]+$: nothing, the set is infinite
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "automata/code_point_dfa.h"
#include "languages/numbers/numbers.h"

namespace xg2lab::json_schema {

// Nothing if there are more than `most`. O(most * states).
std::optional<std::vector<std::string>> few_texts(const CodePointDfa& dfa, size_t most);
// Nothing if there are more than `most`, or if that can't be excluded.
std::optional<std::vector<Decimal>> few_numbers(const NumberConstraint& constraint, size_t most);

}  // namespace xg2lab::json_schema
