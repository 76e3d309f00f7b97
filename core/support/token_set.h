// A set of token ids: the tokens that one token edge consumes.
//
// Tests: tests/core/test_token_edges.py
//
// IDEA
//   Some tokens can't be written as text, since the meaning of a special token isn't in its bytes.
//   So a grammar may refer to tokens by id, Token(5, 7), or to all tokens except some,
//   ExcludeToken(5). Which ids exist is known only with the vocabulary; the set holds the ids that
//   the grammar lists.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "support/ids.h"
#include "support/text.h"

namespace xg2lab {

struct TokenSet {
  std::vector<TokenId> ids;  // ascending, without duplicates
  bool is_negated = false;   // all tokens but these

  bool holds(TokenId id) const {
    return std::binary_search(ids.begin(), ids.end(), id) != is_negated;
  }
  friend bool operator==(const TokenSet&, const TokenSet&) = default;
};

// In EBNF notation: Token(5, 7), ExcludeToken(5).
inline std::string token_set_text(const TokenSet& set) {
  return concat(set.is_negated ? "ExcludeToken(" : "Token(", join(set.ids, ", ", &TokenId::value),
                ")");
}

}  // namespace xg2lab
