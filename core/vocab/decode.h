// Decodes the text that a tokenizer shows for a token into the token's bytes.
//
// Tests: tests/vocab/test_decode.py
//
// IDEA
//   Tokenizers write arbitrary bytes as printable text, in one of two conventions:
//
//      kRaw            the text is the bytes                                "hello"  -> hello
//      kByteFallback   U+2581 is a space, "<0xHH>" is one byte              "▁a"     -> " a"
//                                                                           "<0xE2>" -> \xE2
//      kByteLevel      each character stands for one byte (GPT-2's table)   "Ġa"     -> " a"
//
//   The byte-level table shows the printable bytes of Latin-1 as themselves and the 68 other bytes
//   as U+0100, U+0101, ... in order. A token with a character outside the table ("a b", "日"), such
//   as an added token, isn't encoded: its bytes are its text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xg2lab {

enum class VocabType : uint8_t { kRaw = 0, kByteFallback = 1, kByteLevel = 2 };

std::string decode_token(std::string_view encoded, VocabType type);

}  // namespace xg2lab
