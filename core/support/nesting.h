// The greatest nesting depth of input, for the whole process: a limit that the user may lower.
//
// Tests: tests/core/test_nesting.py
//
// IDEA
//   Every reader has a limit of its own on nested groups or values, tested with small stacks. A
//   user whose stacks are smaller, or whose texts come from strangers, may lower the limit. The
//   setting never raises a reader's own limit.
//
// THREADS   any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace xg2lab {

inline constexpr size_t kUsualMostNesting = 10'000;
inline std::atomic<size_t> most_nesting{kUsualMostNesting};

// For a reader whose own limit is `own`.
inline size_t bounded_nesting(size_t own) {
  return std::min(own, most_nesting.load(std::memory_order_relaxed));
}

}  // namespace xg2lab
