// Strings of a pattern and a length, where the pattern hardly repeats anything: the length is counted, not remembered in states.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   A machine for "these characters, at most 32,767 of them" has a state for each number. But where a text goes round in one
//   place at most once, all that isn't fixed about its length is how often; so the texts are a few *paths*: characters, one stretch of
//   repeated ones, characters.
//
//   ^#[a-z]+$, at most 100 long       '#', 1 to 99 of [a-z]
//   ^([a-z]+ )+$, at most 100 long    nothing: two places to go round in
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
  uint32_t max = 1;  // kNoLongest: any number
};
using Path = std::vector<Stretch>;

// The texts of min to max characters (kNoLongest: no limit). Nothing: the machine goes round in several places, or there are
// too many paths.
std::optional<std::vector<Path>> paths_of_length(const CodePointDfa& dfa, uint32_t min,
                                                 uint32_t max);

// A pattern for one character of the set.
std::string class_words(const CodePointSet& set);

}  // namespace xg2lab::json_schema
