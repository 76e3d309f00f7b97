// The sampling temperature for the next byte, from the rules that the byte may belong to.
//
// Twin:  xg2lab/reference/options.py
// Tests: tests/core/test_rule_options.py, tests/differential/test_rule_options.py
//
// IDEA
//   Each item before a byte is inside a rule, which was called by another rule, and so on up to the
//   root. The innermost of these rules that has a temperature determines the temperature. Different
//   items, and different callers of one rule, may yield different temperatures; the highest is
//   used.
//
// EXAMPLE   root ::= calm wild   calm[temperature=0] ::= "a"+   wild[temperature=1] ::= [a-z]+
//           At the start the temperature is 0. After "a" either rule may read the next byte: the
//           temperature is 1, and is_ambiguous is set.
//
// COST      linear in the items that wait, down to the root; each call is visited once.
//           Configurations caches the result by column.
#pragma once

#include <optional>

#include "parse/column_table.h"

namespace xg2lab {

struct ActiveTemperature {
  std::optional<double> value;  // empty: no rule has a temperature
  bool is_ambiguous = false;    // rules with different temperatures are possible
};

ActiveTemperature active_temperature(const ColumnTable& table, ColumnId column);

}  // namespace xg2lab
