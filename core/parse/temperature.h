// The temperature of the rules that the next byte may belong to.
//
// Twin:  xg2lab/reference/options.py
// Tests: tests/core/test_rule_options.py, tests/differential/test_rule_options.py
//
// IDEA
//   Each item that stands before a byte is within a rule, which was called from another, up to the
//   root. The first on the way up that has a temperature decides. Ways up may differ, and items
//   may: then the highest temperature is taken.
//
// EXAMPLE   root ::= calm wild   calm[temperature=0] ::= "a"+   wild[temperature=1] ::= [a-z]+
//           before anything is read 0; after "a" either rule may go on: 1, and that is ambiguous.
//
// COST      the ways up, each place once. Configurations remembers it by column.
#pragma once

#include <optional>

#include "parse/column_table.h"

namespace xg2lab {

struct ActiveTemperature {
  std::optional<double> value;  // none: no rule has one
  bool is_ambiguous = false;    // rules with different ones may be meant
};

ActiveTemperature active_temperature(const ColumnTable& table, ColumnId column);

}  // namespace xg2lab
