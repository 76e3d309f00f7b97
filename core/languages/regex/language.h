// The language of a pattern as a machine over code points, including lookarounds.
//
// Twin:  xg2lab/reference/regex.py
// Tests: tests/core/test_regex.py, tests/differential/test_regex.py
//
// IDEA
//   Subset construction with two additions. A lookbehind concerns text that has been read: for each
//   one, a *tracker* runs along from the beginning of the text and knows at each position whether
//   the lookbehind holds. A lookahead concerns text to come: a partial match that passes a
//   lookahead takes on an *obligation*, a set of NFA states of the lookahead's pattern. Before the
//   text ends, the obligation must match (or fail to match, if the lookahead is negative). A state
//   of the result is a set of (NFA state, obligations) together with the trackers' states.
//
//   a(?!b)[a-z]    after "a": one NFA state, with the obligation not to read b. After "ac" the
//   obligation is dropped, as it can't be violated any more.
//
// INVARIANTS
//   I1  decided obligations are removed: fulfilled ones are dropped, and a violated one removes its
//       partial match
//
// COST      exponential in the worst case; returns nothing beyond the limits.
// SEE ALSO  Chandra, Kozen, Stockmeyer 1981 (alternation); Miyazaki and Minamide 2019 (lookaheads
//           by derivatives).
#pragma once

#include <optional>

#include "automata/code_point_dfa.h"
#include "languages/regex/ast.h"

namespace xg2lab::regex {

struct LanguageLimits {
  DfaLimits dfa;
  size_t n_nfa_states = 300'000;  // NFA states of the pattern, with repetitions written out
  // NFA states visited; many obligations of a partial match count as several
  size_t n_steps = 20'000'000;
};

// The texts that the node matches as a whole.
std::optional<CodePointDfa> language(const Ast& ast, NodeId node,
                                     const LanguageLimits& limits = {});

}  // namespace xg2lab::regex
