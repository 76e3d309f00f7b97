// Sets of code points, as ranges.
//
// Tests: tests/core/test_grammar.py, tests/core/test_regex.py
//
// Unless stated otherwise a set is normal: sorted, disjoint, no two ranges adjacent, Unicode scalar
// values only. U+D7FF and U+E000 are not adjacent: the surrogates lie between them.
//
// EXAMPLE   normal({c-e, a-c}) is {a-e};   complement({}) is {0-D7FF, E000-10FFFF}.
// COST      linear, except for sorting.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace xg2lab {

struct CodePointRange {
  uint32_t lo = 0;
  uint32_t hi = 0;  // inclusive
  friend bool operator==(const CodePointRange&, const CodePointRange&) = default;
};

using CodePointSet = std::vector<CodePointRange>;

// Normalizes any ranges with lo <= hi; values above U+10FFFF and surrogates are dropped.
CodePointSet normal(CodePointSet ranges);
// All scalar values outside the set, which need not be normal.
CodePointSet complement(std::span<const CodePointRange> ranges);
CodePointSet intersect(std::span<const CodePointRange> a, std::span<const CodePointRange> b);
CodePointSet unite(std::span<const CodePointRange> a, std::span<const CodePointRange> b);
bool contains(std::span<const CodePointRange> set, uint32_t code_point);

}  // namespace xg2lab
