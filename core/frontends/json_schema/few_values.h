// What has few values, value by value: for items that all differ, and names that come once.
//
// Tests: tests/json_schema/test_few_values.py
//
// EXAMPLE   ^[ab]$: "a", "b".   integer, 1 to 3: 1, 2, 3.   ^[ab]+$: nothing, there is no last one
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "automata/code_point_dfa.h"
#include "languages/numbers/numbers.h"

namespace xg2lab::json_schema {

// Nothing: there are more than `most`. O(most * states).
std::optional<std::vector<std::string>> few_texts(const CodePointDfa& dfa, size_t most);
// Nothing: there are more than `most`, or it isn't seen that there are so few.
std::optional<std::vector<Decimal>> few_numbers(const NumberConstraint& constraint, size_t most);

}  // namespace xg2lab::json_schema
