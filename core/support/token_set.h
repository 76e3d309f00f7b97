// A set of token ids: the tokens that one token edge consumes.
//
// Tests: tests/core/test_token_edges.py
//
// IDEA
//   Some tokens can't be written as text, since the meaning of a special token isn't in its bytes.
//   So a grammar may refer to tokens by id, Token(5, 7), or to all tokens except some,
//   ExcludeToken(5). Which ids exist is known only with the vocabulary; the set holds the ids that
//   the grammar lists. A grammar may also name tokens by their texts, Token("<|end|>"): the
//   compiler puts the ids of its vocabulary in the place of these names
//   (passes/resolve_token_names.h), so a set in a program has none.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "support/ids.h"
#include "support/literal.h"
#include "support/source.h"
#include "support/text.h"

namespace xg2lab {

// A token by its text.
struct TokenName {
  std::string text;  // valid UTF-8, not empty
  SourceSpan span;   // of the quoted text

  friend bool operator==(const TokenName& a, const TokenName& b) { return a.text == b.text; }
};

struct TokenSet {
  std::vector<TokenId> ids;        // ascending, without duplicates
  bool is_negated = false;         // all tokens but these
  std::vector<TokenName> names{};  // ascending by text, without duplicates

  // The names must be resolved.
  bool holds(TokenId id) const {
    return std::binary_search(ids.begin(), ids.end(), id) != is_negated;
  }
  friend bool operator==(const TokenSet&, const TokenSet&) = default;
};

// In EBNF notation: Token(5, 7), ExcludeToken(5, "<|end|>").
inline std::string token_set_text(const TokenSet& set) {
  const auto name = [](const TokenName& of) { return print_literal(of.text); };
  return concat(set.is_negated ? "ExcludeToken(" : "Token(", join(set.ids, ", ", &TokenId::value),
                set.ids.empty() || set.names.empty() ? "" : ", ", join(set.names, ", ", name), ")");
}

}  // namespace xg2lab
