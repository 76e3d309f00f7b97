// The largest bound of a repetition, wherever a bound is written or read.
//
// Tests: tests/core/test_grammar.py, tests/core/test_serialization_hostile.py
//
// IDEA
//   The parser's counts have 31 bits (parse/counts.h), and so do columns and history. No text is
//   that long, so a larger bound is reported as a mistake.
#pragma once

#include <cstdint>

namespace xg2lab {

// For repetitions, members in any order, and the options max_tokens and max_chars.
inline constexpr uint32_t kMostRepetitions = 2147483647;
constexpr bool is_bound(uint32_t n) { return n <= kMostRepetitions; }

}  // namespace xg2lab
