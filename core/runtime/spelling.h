// Checks the ids that a tokenizer's encoder returns for a text.
//
// Tests: tests/core/test_forced_tokens.py
//
// EXAMPLE   the text "ab" in a vocabulary of 0: "a", 1: "b", 2: "ab". Both [0, 1] and [2] spell
//           it; [0] has other bytes, and [3] is outside the vocabulary.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "vocab/token_sets.h"

namespace xg2lab {

// Why the ids don't spell the text, as the end of a sentence that begins with the call, such as
// "has the bytes \"a\""; nothing if they do.
std::optional<std::string> misspelling(std::string_view text, std::span<const int64_t> ids,
                                       const TokenSets& tokens);
// The same where no vocabulary is known: only that the ids can be those of some vocabulary's
// tokens.
std::optional<std::string> misspelling(std::string_view text, std::span<const int64_t> ids);

}  // namespace xg2lab
