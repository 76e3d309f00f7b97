// Tokens by their texts, as grammars and structural tags name them.
//
// Tests: tests/core/test_token_edges.py, tests/structural_tag/test_formats.py
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vocab/vocabulary.h"

namespace xg2lab {

// The tokens with exactly this text: special ones, then those of text, then stop tokens.
std::vector<TokenId> tokens_named(const Vocabulary& vocabulary, std::string_view text);

// The text of a token that may be meant by a text that no token has: a special or stop token that
// is spelled alike, or a token of text with a space more or less in front.
std::optional<std::string> token_name_like(const Vocabulary& vocabulary, std::string_view text);

}  // namespace xg2lab
