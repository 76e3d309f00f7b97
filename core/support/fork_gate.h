// The fork gate: os.fork() waits until no engine call is inside a critical section.
//
// Tests: tests/core/test_fork.py
//
// IDEA
//   A child process has one thread, the one that forked, and a copy of every lock. A lock that
//   another thread held at the fork stays locked in the child forever. Calls that run without the
//   GIL and may take an engine lock enter the gate; a fork closes the gate and waits until all
//   calls have left.
//
//   The other threads don't exist in the child. The child therefore increments a generation number:
//   objects that a thread of an older generation held (a matcher, the workers of a pool) are free
//   in the child.
//
// INVARIANTS
//   I1  no thread is inside the gate while the process is copied
//   I2  a thread inside never waits for the GIL, which the forking thread may hold
//
// COST      two atomic additions a call. On systems without fork (Windows) the gate is always open.
// THREADS   any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace xg2lab {

class ForkGate {
 public:
  // Inside the gate for its lifetime. Created after the GIL is released and destroyed before it is
  // taken again (I2).
  class Inside {
   public:
    Inside() { enter(); }
    ~Inside() { n_inside_.fetch_sub(1, std::memory_order_release); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
  };

  // 1 in the process that imported the engine, incremented in each child.
  static uint32_t generation() { return generation_.load(std::memory_order_relaxed); }
  // Makes the system call the gate at each fork, and `in_child` in each child. Call once for each
  // process and `in_child`; at most 4 of these are possible.
  static void watch_forks(void (*in_child)());

 private:
  static void enter();
  static void close();          // before a fork, in the thread that forks
  static void open();           // after it, in the parent
  static void open_in_child();  // after it, in the child

  static std::atomic<int64_t> n_inside_;
  static std::atomic<int32_t> n_forking_;
  static std::atomic<uint32_t> generation_;
};

}  // namespace xg2lab
