// Forced tokens: the ids that must come next whatever the model chooses, token edges included.
//
// Twin:  xg2lab/reference/forced_tokens.py
// Tests: tests/core/test_forced_tokens.py, tests/differential/test_forced_tokens.py
//
// IDEA
//   A token is forced in the strict sense if the mask allows it alone and the text is not complete.
//   Token edges of one id, such as a template's Token("<|vision_start|>"), are forced in this
//   sense. Forced text rarely is, because a vocabulary has many spellings of it: before "ab" the
//   mask allows "a" and "ab". Only the tokenizer knows which of them the model would write. So the
//   caller may give the tokenizer's encoder, which spells the forced text (runtime/jump_forward.h),
//   and the search continues after it.
//
// EXAMPLE   root ::= "<p>" Token(7) [a-z]+     the tokens "<", "<p", ">" and 7
//           without an encoder: nothing, since "<" and "<p" are both allowed
//           with one that writes "<p" and ">": these two, then 7
//
// INVARIANTS
//   I1  each id is allowed after the ids before it, and the matcher does not change
//   I2  no stop token is forced: a text may end where it is complete, and nothing is forced there
//
// COST      without an encoder a mask for each forced token; with one, a step for each byte.
// THREADS   as the matcher's.
// SEE ALSO  docs/design/0009-where-forced-text-ends.md
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/matcher.h"

namespace xg2lab {

// The ids by which a tokenizer writes a text of whole code points.
using SpellText = std::function<std::vector<TokenId>(const std::string& text)>;

// `spell` may be empty. The ids that it returns have the text's bytes; the result ends before the
// first of them that is not allowed.
std::vector<TokenId> forced_tokens(Matcher& matcher, const SpellText& spell);

}  // namespace xg2lab
