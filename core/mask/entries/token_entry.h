// The mask entry of a state before a token edge: the edge's set of token ids, built without a walk.
//
// Tests: tests/core/test_token_edges.py, tests/differential/test_token_edges.py
//
// IDEA
//   A token edge consumes a whole token, so neither the token's bytes nor the following input
//   matter: the tokens of the set are accepted, all others are rejected, and no token is uncertain.
//   TokenSets::by_id_words holds the tokens that a set may contain: text tokens and special tokens.
//   Other tokens never cross an edge: a stop token ends the generation, a token without bytes would
//   leave no trace in the text, and padding is not a token.
//
// COST      O(ids) for Token(...), O(words of a row + ids) for ExcludeToken(...).
#pragma once

#include "mask/sets/adaptive_mask.h"
#include "support/token_set.h"

namespace xg2lab {

MaskEntry token_entry(const TokenSets& tokens, const TokenSet& set);

}  // namespace xg2lab
