// What is made when it is first needed, by whoever needs it first.
//
// Tests: tests/core/fault_stress.cc, tests/core/test_interrupts.py
//
// IDEA
//   As std::call_once with a flag beside the value; but what throws while it is made leaves
//   nothing, and the next one who needs it makes it from its beginning. std::call_once promises
//   that too, and doesn't keep it with every C library. Who waits for the maker hears interrupts
//   (support/heard_lock.h).
//
// COST      get, once it is made: one acquire load.
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
  // make() gives a std::unique_ptr<T>. `doing`: what others wait for, for the error of a budget
  // that ends meanwhile.
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
  std::unique_ptr<T> owned_;  // guarded by mutex_ until it is published
};

}  // namespace xg2lab
