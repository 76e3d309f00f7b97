// How deep what is read may nest, for all of a process: one number that a user may lower.
//
// Tests: tests/core/test_nesting.py
//
// IDEA
//   Every reader has a bound of its own, up to which it has been tried in small stacks: groups in groups, values in values. Who
//   runs in smaller stacks, or reads texts of strangers, may want less. More than its own bound no reader takes, whatever is set.
//
// THREADS   any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace xg2lab {

inline constexpr size_t kUsualMostNesting = 10'000;
inline std::atomic<size_t> most_nesting{kUsualMostNesting};

// Of a reader whose own bound is `own`.
inline size_t bounded_nesting(size_t own) {
  return std::min(own, most_nesting.load(std::memory_order_relaxed));
}

}  // namespace xg2lab
