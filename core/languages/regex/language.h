// The language of a pattern as a machine over code points, looks around and all.
//
// Twin:  xg2lab/reference/regex.py
// Tests: tests/core/test_regex.py, tests/differential/test_regex.py
//
// IDEA
//   Subset construction, with two additions. What is *behind* is known when a look asks for it: for each lookbehind a
//   tracker follows along from the text's beginning, and says at each place whether the look holds. What is *ahead* is not known yet:
//   whoever passes a lookahead takes on an *obligation*, itself a set of places in the lookahead's pattern, that has to
//   come out right (or, if the look is negative, has to fail) before the text ends. A state of the result is
//   a set of (place, obligations), and where the trackers are.
//
//   a(?!b)[a-z]    after "a": one place, with the obligation not to read b. After "ac" the obligation is gone: it can't be broken.
//
// INVARIANTS
//   I1  obligations that are decided are gone: met ones are dropped, broken ones take their place with them
//
// COST      exponential in the worst case; stops at the limits and returns nothing.
// SEE ALSO  Chandra, Kozen, Stockmeyer 1981 (alternation); Miyazaki and Minamide 2019 (lookaheads by derivatives).
#pragma once

#include <optional>

#include "automata/code_point_dfa.h"
#include "languages/regex/ast.h"

namespace xg2lab::regex {

struct LanguageLimits {
  DfaLimits dfa;
  size_t n_places = 300'000;    // of the pattern, repetitions written out
  size_t n_steps = 20'000'000;  // places looked at; many duties of a match count as some
};

// What the node matches from the beginning of a text to its end.
std::optional<CodePointDfa> language(const Ast& ast, NodeId node,
                                     const LanguageLimits& limits = {});

}  // namespace xg2lab::regex
