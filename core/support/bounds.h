// The bounds of a repetition: the largest one, and how EBNF and patterns write them.
//
// Tests: tests/core/test_grammar.py, tests/core/test_serialization_hostile.py,
//        tests/unit/support_text.cc
//
// IDEA
//   The parser's counts have 31 bits (parse/counts.h), and so do columns and history. No text is
//   that long, so a larger bound is reported as a mistake.
#pragma once

#include <cstdint>
#include <string>

namespace xg2lab {

// For repetitions, members in any order, and the options max_tokens and max_chars.
inline constexpr uint32_t kMostRepetitions = 2147483647;
constexpr bool is_bound(uint32_t n) { return n <= kMostRepetitions; }

// A `max` without a limit.
inline constexpr uint32_t kEndless = UINT32_MAX;
// {2}, {2,}, {2,5}.
std::string braces_text(uint32_t min, uint32_t max);
// The same, but ?, * and + where they mean it.
std::string repetition_text(uint32_t min, uint32_t max);

}  // namespace xg2lab
