// Checks the sets of tokens against a vocabulary: an id without a token, or with a token that an
// edge can't consume, is an error.
//
// Tests: tests/core/test_token_edges.py
//
// IDEA
//   A grammar may be written before a vocabulary is known. When both are given, each id must be
//   that of a token that a token edge can consume. ExcludeToken may list any token, as long as some
//   token remains.
//
// EXAMPLE   With 8 tokens, of which 7 is a stop token: Token(5) is valid; Token(8) and
//           ExcludeToken(8) name no token; Token(7) can't occur within a text, since it ends the
//           text; ExcludeToken(7) excludes a token that is excluded anyway.
//
// NOT HERE  the vocabulary: the caller describes it in KnownTokens.
#pragma once

#include <functional>

#include "grammar/grammar.h"

namespace xg2lab::checks {

enum class TokenUse : uint8_t { kFree, kStop, kPadding, kWithoutBytes };

struct KnownTokens {
  size_t n_tokens = 0;
  size_t n_free = 0;  // number of tokens of TokenUse::kFree
  std::function<TokenUse(TokenId)> use;
};

// Throws a GrammarError that lists all mistakes.
void check_token_sets(const Grammar& grammar, const KnownTokens& known);

}  // namespace xg2lab::checks
