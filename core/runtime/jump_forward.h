// Jump-forward: the text that must come next whatever the model chooses.
//
// Twin:  xg2lab/reference/matcher.py
// Tests: tests/core/test_jump_forward.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   While exactly one byte can follow and the text is not complete, that byte is forced. Writing
//   all forced bytes at once saves decode steps, but two positions are bad ends:
//
//     inside a code point      the forced bytes of [é-ê] are C3, which is not valid UTF-8
//     inside a token           after "x: " one of [a-z] may follow. If " a" is a token, a model
//                              that would choose " a" needs the text to end at "x:"; writing the
//                              space would rule this token out
//
//   So the forced bytes are split into the longest tokens, and the text ends at the first token
//   boundary from which an allowed token extends beyond the last forced byte. In the example, with
//   the tokens "x", ":", " " and " a": at "x:".
//
// INVARIANTS
//   I1  the result is a prefix of the forced bytes and consists of whole code points
//   I2  it ends between two of these tokens, and no allowed token spans its end. If the vocabulary
//       can't spell the forced bytes, the result ends after their last code point
//
// COST      a step for each forced byte, and at each boundary near the end a walk over the tokens
//           that extend beyond it.
// THREADS   as the matcher's.
#pragma once

#include <string>

#include "runtime/matcher.h"

namespace xg2lab {

// Empty if the text has ended or is inside a code point.
std::string jump_forward_string(const Matcher& matcher);
// The same if the matcher were in `column` and had not stopped.
std::string jump_forward_string(const Matcher& matcher, ColumnId column);

}  // namespace xg2lab
