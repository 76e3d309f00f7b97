// A tokenizer's encoder, as Python gives it: a callable from a str to a list of token ids.
//
// Tests: tests/core/test_forced_tokens.py
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bind/python.h"
#include "vocab/token_sets.h"

namespace xg2lab::bind {

// The answer of an encoder.
struct Encoded {
  std::vector<int64_t> ids;
  // Not empty: the answer is no list of ids, the ids don't spell the text, or the text can't be
  // given to the encoder. The end of a sentence that begins with the call.
  std::string mistake;

  std::vector<TokenId> tokens() const;  // without a mistake
};

// Throws ArgumentTypeError if the object can't be called.
void check_encoder(pybind11::handle encode);
// Calls the encoder, with the GIL. What the encoder raises passes through. `tokens`: null if no
// vocabulary is known; then the ids' bytes are not compared with the text.
Encoded encoded(pybind11::handle encode, std::string_view text, const TokenSets* tokens);

}  // namespace xg2lab::bind
