// Sets of tokens, held against a vocabulary: ids that are none, or can't be crossed, are the author's mistakes.
//
// Tests: tests/core/test_token_edges.py
//
// IDEA
//   A grammar may be written before a vocabulary is known; when both meet, each id must be one of a token that a token
//   edge can take. In ExcludeToken any token may be listed, as long as something is left.
//
// EXAMPLE   With 8 tokens, of which 7 is a stop token: Token(5) is well, Token(8) and ExcludeToken(8) are no tokens,
//           Token(7) ends the text and can't stand within it, ExcludeToken(7) excludes what is excluded already.
//
// NOT HERE  what a vocabulary is: the caller says it in KnownTokens.
#pragma once

#include <functional>

#include "grammar/grammar.h"

namespace xg2lab::checks {

enum class TokenUse : uint8_t { kFree, kStop, kPadding, kWithoutBytes };

struct KnownTokens {
  size_t n_tokens = 0;
  size_t n_free = 0;  // those of TokenUse::kFree
  std::function<TokenUse(TokenId)> use;
};

// Throws a GrammarError that names all mistakes.
void check_token_sets(const Grammar& grammar, const KnownTokens& known);

}  // namespace xg2lab::checks
