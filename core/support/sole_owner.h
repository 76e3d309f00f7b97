// Whether a shared_ptr is the only one to its object: then the object may be written in place.
//
// Tests: tests/core/shared_grammar_stress.cc, under the thread sanitizer
//
// IDEA
//   use_count() == 1 alone is not enough where owners live in several threads. It says that the others have let
//   go; it does not say that what they read before is over, for it is a relaxed load. Letting go is a
//   release, so an acquire after the load orders their reads before our writes. On x86 that costs nothing.
//
// EXAMPLE   Thread B copies a chunk of history that it shares with A, then drops it. A sees the count fall to 1 and
//           writes to the chunk: after B's reads, by the fence; without it, perhaps before.
#pragma once

#include <atomic>
#include <memory>

#if defined(__SANITIZE_THREAD__)
#define XG2LAB_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define XG2LAB_THREAD_SANITIZER 1
#endif
#endif

namespace xg2lab {

template <class T>
bool is_sole_owner(const std::shared_ptr<T>& pointer) {
  if (pointer.use_count() != 1) return false;
#ifdef XG2LAB_THREAD_SANITIZER
  // It knows no fences. Dropping a second owner acquires as well, by an instruction that it follows.
  std::shared_ptr<T>(pointer).reset();
#else
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
  return true;
}

}  // namespace xg2lab
