// Captures: the texts that rules with the option `capture` have matched.
//
// Twin:  xg2lab/reference/captures.py
// Tests: tests/core/test_rule_options.py, tests/differential/test_rule_options.py
//
// IDEA
//   A chart contains every match that was completed, including matches that lead nowhere: under
//   root ::= word "."; word[capture] ::= [a-z]+  the text "ab" completes `word` twice, as "a" and
//   as "ab". The matches that the text so far depends on are found by walking back from the live
//   items at its end: from an item to the item that was scanned or that waited for a child, and to
//   the completed child. A match reached this way is in use.
//
// EXAMPLE   in use after "ab": "ab" alone.   All completions: "a", then "ab".
//
// PARTS     A match of a rule with the option `parts` is parsed again by the rule that the option
//           names, in a chart of the match's bytes alone. Captures of that parse are captures of
//           the text; `parts` options within it are ignored.
// HIDDEN    A match of a rule with the option `hidden` is cut out of the captures around it, except
//           those of other hidden rules, which stay whole. If a text has several readings, bytes
//           hidden by any of them are cut out.
//
// COST      in use: the items reached times the matches that end at their positions. Computed only
//           on request; a matcher records nothing for it.
#pragma once

#include <string>
#include <vector>

#include "parse/chart.h"
#include "runtime/matcher.h"

namespace xg2lab {

struct Capture {
  std::string name;
  std::string bytes;
};

// In the order of completion, inner ones first. `chart` must have read the matcher's text.
// deduplicate: only matches in use, and for each rule and start the longest. Otherwise every
// completion.
std::vector<Capture> captures_of(const Matcher& matcher, const Chart& chart, bool deduplicate);

}  // namespace xg2lab
