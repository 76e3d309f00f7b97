// Captures: which texts the rules with the option `capture` have matched.
//
// Twin:  xg2lab/reference/captures.py
// Tests: tests/core/test_rule_options.py, tests/differential/test_rule_options.py
//
// IDEA
//   A chart knows every match that was ever completed, also those that nothing came of: under
//   root ::= word "."; word[capture] ::= [a-z]+  the text "ab" completes `word` twice, as "a" and as "ab". What the text
//   so far still needs is found by going back from what is alive at its end: from an item to the one that scanned, or
//   that waited, and to the child that it waited for. A match that is met so is in use.
//
// EXAMPLE   in use after "ab": "ab" alone.   All completions: "a", then "ab".
//
// PARTS     A match of a rule with the option `parts` is read once more, by the rule that the
//           option names, in a chart of its own bytes alone. Captures of that reading are captures
//           of the text; parts within it are not read again.
// HIDDEN    A match of a rule with the option `hidden` is left out of the captures around it, but
//           for those of such rules, which are whole. Where a text has several readings, what one
//           of them hides is hidden.
//
// COST      in use: the items that are met times the matches that end where they stand. Asked for by people and at the
//           end of a text; a matcher that isn't asked records nothing.
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

// In the order in which they were completed, those within others first. `chart` has read the matcher's text.
// deduplicate: those in use, of each beginning of a rule the longest. Else every completion.
std::vector<Capture> captures_of(const Matcher& matcher, const Chart& chart, bool deduplicate);

}  // namespace xg2lab
