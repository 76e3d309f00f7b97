// Code points as bytes: a range of code points becomes few sequences of byte ranges.
//
// Twin:  xg2lab/reference/fsm.py
//
// IDEA
//   UTF-8 keeps order, so a range of code points is a range of byte strings. The range is cut where
//   the encoding changes length and where the continuation bytes are not all free; each piece is a
//   product of byte ranges: [U+0080, U+07FF] is [C2-DF][80-BF]. Overlong forms and surrogates never
//   appear.
//   [é-ï] (C3 A9 - C3 AF) needs one sequence; [~-é] needs several: 7E-7F, and C2-C3 split in two.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "automata/fsm.h"

namespace xg2lab {

struct Utf8Sequence {
  std::array<ByteRange, 4> bytes;
  uint8_t n_bytes = 0;
};

// The sequences that together match exactly the scalar values in [lo, hi], in byte order.
std::vector<Utf8Sequence> utf8_sequences(uint32_t lo, uint32_t hi);

}  // namespace xg2lab
