// The fork gate: os.fork() waits until no engine call is in the middle of something.
//
// Tests: tests/core/test_fork.py
//
// IDEA
//   A child process has one thread, the one that forked, and a copy of every lock as it stood. A lock that another
//   thread held at that moment stays locked in the child for ever. Calls that run without the GIL and may take
//   a lock of the engine stand inside the gate; a fork first closes it and waits until all are out.
//
//   What the child can't have is the other threads themselves. So it counts generations: whatever a thread of an
//   older generation held (a matcher, the workers of a pool) is free in the child.
//
// INVARIANTS
//   I1  nobody is inside while the process is copied
//   I2  a thread inside never waits for the GIL, which the forking thread may hold
//
// COST      two atomic additions a call. Where there is no fork (Windows) the gate is always open.
// THREADS   any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace xg2lab {

class ForkGate {
 public:
  // Stands inside for its lifetime. Made after the GIL is released, gone before it is taken again (I2).
  class Inside {
   public:
    Inside() { enter(); }
    ~Inside() { n_inside_.fetch_sub(1, std::memory_order_release); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
  };

  // 1 in the process that imported the engine, one more in each child of a child.
  static uint32_t generation() { return generation_.load(std::memory_order_relaxed); }
  // Has the system call the gate at each fork, and `in_child` in each child. Once a process for each `in_child`, of
  // which there are at most 4.
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
