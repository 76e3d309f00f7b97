// From the text a tokenizer shows for a token to the bytes the token stands for.
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
//   The byte-level table shows the printable bytes of Latin-1 as themselves and the 68 others as
//   U+0100, U+0101, ... in order. A token with a character outside the table ("a b", "日") was not
//   written in it, as added tokens are not: it is kept as the text it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xg2lab {

enum class VocabType : uint8_t { kRaw = 0, kByteFallback = 1, kByteLevel = 2 };

std::string decode_token(std::string_view encoded, VocabType type);

}  // namespace xg2lab
