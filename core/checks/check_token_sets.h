// Checks the sets of tokens against a vocabulary: an id or a text without a token, or with a token
// that an edge can't consume, is an error.
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
//           text; ExcludeToken(7) excludes a token that is excluded anyway. Token("</s>") is valid
//           if some token of this text is neither a stop token nor without bytes.
//
// NOT HERE  the vocabulary: the caller describes it in KnownTokens.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/grammar.h"

namespace xg2lab::checks {

enum class TokenUse : uint8_t { kFree, kStop, kPadding, kWithoutBytes };

struct KnownTokens {
  size_t n_tokens = 0;
  size_t n_free = 0;  // number of tokens of TokenUse::kFree
  std::function<TokenUse(TokenId)> use;
  // All tokens with exactly this text, whatever their use.
  std::function<std::vector<TokenId>(std::string_view)> named;
  // The text of a token that may be meant by a text that no token has.
  std::function<std::optional<std::string>(std::string_view)> like;
};

// Throws a GrammarError that lists all mistakes.
void check_token_sets(const Grammar& grammar, const KnownTokens& known);

}  // namespace xg2lab::checks
