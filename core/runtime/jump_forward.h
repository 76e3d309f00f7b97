// Jump-forward: the text that must come next whatever the model says.
//
// Twin:  xg2lab/reference/matcher.py
// Tests: tests/core/test_jump_forward.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   While one byte alone can follow and the text is not complete, that byte is forced. Writing all forced bytes at
//   once saves the model's steps, but two places are bad to stop at:
//
//     inside a code point      the forced bytes of [é-ê] are C3, and that is no text
//     inside a token           after "x: " one of [a-z] may follow. If " a" is a token, a model that chooses it
//                              stops at "x:"; to write the space first keeps it from ever choosing so
//
//   So the bytes are spelled with the longest tokens, and the text ends at the edge where one that may be chosen
//   goes past the last forced byte. In the example, with the tokens "x", ":", " " and " a": at "x:".
//
// INVARIANTS
//   I1  the result is a beginning of what is forced, and whole code points
//   I2  it ends between two of those tokens, and no token that may come there reaches beyond it from before it.
//       Only where the vocabulary can't spell the forced bytes so, it ends after their last code point.
//
// COST      a step a forced byte, and at each edge near the end a walk over the tokens that go on beyond it.
// THREADS   as the matcher's.
#pragma once

#include <string>

#include "runtime/matcher.h"

namespace xg2lab {

// Empty if the text stands in the middle of a code point, or has ended.
std::string jump_forward_string(const Matcher& matcher);

}  // namespace xg2lab
