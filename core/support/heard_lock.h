// Takes a lock that other threads may hold for long, in a call that Ctrl-C must be able to end.
//
// Tests: tests/core/test_interrupts.py
//
// IDEA
//   A thread that waits for a mutex doesn't detect interrupts, and the holder may work under longer
//   limits or none. So a thread that is to detect interrupts (support/interrupts.h) doesn't block:
//   it retries, and checks its budget in between.
//
// COST      a free lock: as std::mutex. A held one: one extra system call, once in a call.
// THREADS   any thread.
#pragma once

#include <mutex>
#include <string_view>

namespace xg2lab {

// Throws as check_budget; the lock is not taken then. `doing`: the work that is waited for.
std::unique_lock<std::mutex> heard_lock(std::mutex& mutex, std::string_view doing);

}  // namespace xg2lab
