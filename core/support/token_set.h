// A set of tokens by id: what one token edge consumes.
//
// Tests: tests/core/test_token_edges.py
//
// IDEA
//   Some tokens can't be written as text: a special token means something that its bytes don't say. So a grammar may
//   name tokens by their ids, Token(5, 7), or all but some, ExcludeToken(5). Which of "all" there are is the
//   vocabulary's knowledge; this is what the grammar says.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "support/ids.h"

namespace xg2lab {

struct TokenSet {
  std::vector<TokenId> ids;  // ascending, each once
  bool is_negated = false;   // all tokens but these

  bool holds(TokenId id) const {
    return std::binary_search(ids.begin(), ids.end(), id) != is_negated;
  }
  friend bool operator==(const TokenSet&, const TokenSet&) = default;
};

// As EBNF writes it: Token(5, 7), ExcludeToken(5).
inline std::string token_set_text(const TokenSet& set) {
  std::string text = set.is_negated ? "ExcludeToken(" : "Token(";
  for (size_t i = 0; i < set.ids.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(set.ids[i].value);
  }
  return text + ")";
}

}  // namespace xg2lab
