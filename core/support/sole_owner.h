// Whether a shared_ptr is the only owner of its object, so that the object may be modified in
// place.
//
// Tests: tests/core/shared_grammar_stress.cc, under the thread sanitizer
//
// IDEA
//   use_count() == 1 is not enough if owners live in several threads. It shows that the others have
//   dropped the object, but not that their earlier reads are complete, since the load is relaxed.
//   Dropping is a release, so an acquire fence after the load orders their reads before our writes.
//   On x86 the fence is free.
//
// EXAMPLE   Thread B copies a chunk of history that it shares with A, then drops the chunk. A sees
//           the count fall to 1 and writes to the chunk. With the fence, A's writes come after B's
//           reads; without it, perhaps before.
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
  // The thread sanitizer doesn't model fences. Dropping a second owner acquires as well, by an
  // instruction that it models.
  std::shared_ptr<T>(pointer).reset();
#else
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
  return true;
}

}  // namespace xg2lab
