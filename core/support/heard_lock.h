// Taking a lock that others may hold for long, in a call that Ctrl-C is to end.
//
// Tests: tests/core/test_interrupts.py
//
// IDEA
//   Who waits for a mutex hears nothing, and who holds it works under limits of its own, if any.
//   So a thread that hears interrupts (support/interrupts.h) doesn't wait: it tries again and
//   again, and looks up in between.
//
// COST      a free lock: as std::mutex. A held one: one call of the system more, once in a call.
// THREADS   any thread.
#pragma once

#include <mutex>
#include <string_view>

namespace xg2lab {

// Throws as check_budget does; then the lock is not taken. `doing`: what is waited for.
std::unique_lock<std::mutex> heard_lock(std::mutex& mutex, std::string_view doing);

}  // namespace xg2lab
