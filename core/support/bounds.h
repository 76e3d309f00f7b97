// How large a bound of a repetition may be, wherever one is written or read.
//
// Tests: tests/core/test_grammar.py, tests/core/test_serialization_hostile.py
//
// IDEA
//   The parser's counts have 31 bits (parse/counts.h), and so have columns and history. No text is
//   that long: whoever writes a larger bound has made a mistake, and is told so.
#pragma once

#include <cstdint>

namespace xg2lab {

// Of repetitions, of members in any order, and of the options max_tokens and max_chars.
inline constexpr uint32_t kMostRepetitions = 2147483647;
constexpr bool is_bound(uint32_t n) { return n <= kMostRepetitions; }

}  // namespace xg2lab
