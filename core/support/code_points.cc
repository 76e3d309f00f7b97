// Sorting, merging, and gaps; the other functions are built from these.
#include "support/code_points.h"

#include <algorithm>

#include "support/utf8.h"

namespace xg2lab {

CodePointSet normal(CodePointSet ranges) {
  const bool is_far_from_surrogates = std::ranges::all_of(
      ranges, [](CodePointRange r) { return r.lo <= r.hi && r.hi < kFirstSurrogate; });
  const auto adjoin = [](CodePointRange a, CodePointRange b) { return b.lo <= a.hi + 1; };
  if (is_far_from_surrogates && std::ranges::adjacent_find(ranges, adjoin) == ranges.end())
    return ranges;  // the usual case
  CodePointSet scalar_ranges;
  scalar_ranges.reserve(ranges.size() + 1);
  for (CodePointRange range : ranges) {
    range.hi = std::min(range.hi, kMaxCodePoint);
    const uint32_t before_surrogates = std::min(range.hi, kFirstSurrogate - 1);
    const uint32_t after_surrogates = std::max(range.lo, kLastSurrogate + 1);
    if (range.lo <= before_surrogates) scalar_ranges.push_back({range.lo, before_surrogates});
    if (after_surrogates <= range.hi) scalar_ranges.push_back({after_surrogates, range.hi});
  }
  std::sort(scalar_ranges.begin(), scalar_ranges.end(),
            [](const CodePointRange& a, const CodePointRange& b) { return a.lo < b.lo; });
  CodePointSet merged;
  for (const CodePointRange& range : scalar_ranges) {
    if (!merged.empty() && range.lo <= merged.back().hi + 1) {
      merged.back().hi = std::max(merged.back().hi, range.hi);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

CodePointSet complement(std::span<const CodePointRange> ranges) {
  CodePointSet gaps;
  uint32_t next = 0;
  for (const CodePointRange& range : normal({ranges.begin(), ranges.end()})) {
    if (next < range.lo) gaps.push_back({next, range.lo - 1});
    next = range.hi + 1;
  }
  if (next <= kMaxCodePoint) gaps.push_back({next, kMaxCodePoint});
  return normal(std::move(gaps));
}

CodePointSet intersect(std::span<const CodePointRange> a, std::span<const CodePointRange> b) {
  CodePointSet common;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const uint32_t lo = std::max(a[i].lo, b[j].lo);
    const uint32_t hi = std::min(a[i].hi, b[j].hi);
    if (lo <= hi) common.push_back({lo, hi});
    if (a[i].hi < b[j].hi) ++i;
    else ++j;
  }
  return common;
}

CodePointSet unite(std::span<const CodePointRange> a, std::span<const CodePointRange> b) {
  CodePointSet all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return normal(std::move(all));
}

bool contains(std::span<const CodePointRange> set, uint32_t code_point) {
  const auto after = std::upper_bound(
      set.begin(), set.end(), code_point,
      [](uint32_t point, const CodePointRange& range) { return point < range.lo; });
  return after != set.begin() && code_point <= std::prev(after)->hi;
}

}  // namespace xg2lab
