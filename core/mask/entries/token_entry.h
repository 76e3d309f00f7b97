// The mask entry of a state before a token edge: decided at once, for ever, and without a walk.
//
// Tests: tests/core/test_token_edges.py, tests/differential/test_token_edges.py
//
// IDEA
//   A token edge is crossed by whole tokens, so neither their bytes nor what follows matters: the
//   set is accepted, all others are rejected, none is uncertain. What may be in a set at all is
//   said by TokenSets::by_id_words: text and special tokens. A stop token ends the text and is
//   never crossed; a token without bytes would leave no trace in it; padding is no token.
//
// COST      O(ids) for Token(...), O(words of a row + ids) for ExcludeToken(...).
#pragma once

#include "mask/sets/adaptive_mask.h"
#include "support/token_set.h"

namespace xg2lab {

MaskEntry token_entry(const TokenSets& tokens, const TokenSet& set);

}  // namespace xg2lab
