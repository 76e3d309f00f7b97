// A value that is made when first needed, by the first thread that needs it.
//
// Tests: tests/core/fault_stress.cc, tests/core/test_interrupts.py
//
// IDEA
//   Like std::call_once with a flag beside the value. If making the value throws, no value is
//   stored and the next thread starts again; std::call_once promises the same but doesn't keep the
//   promise with every C library. Threads that wait for the maker detect interrupts
//   (support/heard_lock.h).
//
// COST      get, once the value is made: one acquire load.
// THREADS   any.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>

#include "support/heard_lock.h"

namespace xg2lab {

template <class T>
class MadeOnce {
 public:
  // make() returns a std::unique_ptr<T>. `doing`: the work that other threads wait for, for the
  // error of a budget that ends meanwhile.
  template <class Make>
  T& get(std::string_view doing, const Make& make) {
    if (T* known = made_.load(std::memory_order_acquire)) return *known;
    const auto lock = heard_lock(mutex_, doing);
    if (T* known = made_.load(std::memory_order_relaxed)) return *known;
    owned_ = make();
    made_.store(owned_.get(), std::memory_order_release);
    return *owned_;
  }

 private:
  std::atomic<T*> made_{nullptr};
  std::mutex mutex_;
  std::unique_ptr<T> owned_;  // guarded by mutex_ until published
};

}  // namespace xg2lab
