// Sentences about rules whose matches have touched their max_tokens.
//
// Tests: tests/core/test_rule_options.py
//
// EXAMPLE   think[max_tokens=5] ::= [^<]*, five tokens after it began at byte 12:
//           "think has overlapped its 5 tokens, the first at byte 12: it has to end."
//
// COST      the open items, from the chart's end up to the root.
#pragma once

#include <string>
#include <vector>

#include "parse/chart.h"
#include "runtime/matcher.h"

namespace xg2lab {

// A sentence for each open match. `chart` must have read exactly the matcher's text.
std::vector<std::string> budget_sentences(const Matcher& matcher, const Chart& chart);

}  // namespace xg2lab
