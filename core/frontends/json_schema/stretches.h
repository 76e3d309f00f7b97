// Strings with a pattern and a length, if the pattern has few loops: the length is counted instead
// of being tracked by states.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   A machine for "these characters, at most 32,767 of them" has a state for each number. But if a
//   text passes at most one loop of the pattern's machine, the only variable part of its length is
//   the number of rounds. The texts are then a few *paths*: characters, one stretch of repeated
//   characters, characters.
//
//   ^#[a-z]+$, at most 100 long       '#', 1 to 99 of [a-z]
//   ^([a-z]+ )+$, at most 100 long    nothing: there are two loops
//
// COST   O(paths * their length); nothing if there are more than kMostPaths.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "automata/code_point_dfa.h"

namespace xg2lab::json_schema {

struct Stretch {
  CodePointSet set;
  uint32_t min = 1;
  uint32_t max = 1;  // kNoLongest: no upper limit
};
using Path = std::vector<Stretch>;

// The texts of min to max characters (kNoLongest: no limit). Nothing if a path passes several
// loops, or if there are too many paths.
std::optional<std::vector<Path>> paths_of_length(const CodePointDfa& dfa, uint32_t min,
                                                 uint32_t max);

// A pattern for one character of the set.
std::string class_words(const CodePointSet& set);

}  // namespace xg2lab::json_schema
