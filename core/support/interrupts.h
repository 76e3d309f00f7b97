// Interrupts: Ctrl-C ends a long engine call, although no Python code runs in it.
//
// Tests: tests/core/test_interrupts.py
//
// IDEA
//   Python's handler of SIGINT sets a flag that only the interpreter reads. An engine call can't
//   query the interpreter: a thread inside the fork gate never waits for the GIL
//   (support/fork_gate.h). So during a long call of the main thread, the engine's handler replaces
//   Python's. It sets a flag of its own, which check_budget reads, and then calls Python's handler.
//   bind/ catches the exception of check_budget outside the gate and lets Python handle the
//   interrupt.
//
//   Installing and removing the handler takes six system calls. Short calls don't install it; the
//   interpreter handles the interrupt after such a call.
//
// THREADS   Python handles signals in the main thread, so only calls of the main thread, and the
//           threads that help it (Helping), detect interrupts.
#pragma once

#include "support/budget.h"

namespace xg2lab {

enum class Length : uint8_t { kMaybeLong, kLong };

class Hearing {
 public:
  // kLong: installs the handler at once. kMaybeLong: once check_budget finds that the work
  // is not short.
  explicit Hearing(Length length);
  ~Hearing();
  Hearing(const Hearing&) = delete;
  Hearing& operator=(const Hearing&) = delete;

 private:
  const Hears outer_;
};

// For check_budget, in a thread that `hears`: installs the handler if this is the main thread.
void begin_to_hear();
// Whether an interrupt has come since the handler was installed.
bool is_interrupted();

// The part of a thread's state that the threads helping it take over for the time of their help.
struct Share {
  Hears hears = Hears::kNothing;
  // The share of the calling thread; installs its handler now.
  static Share of_this_thread();
};

class Helping {
 public:
  explicit Helping(const Share& share) : outer_(thread_work.hears) {
    thread_work.hears = share.hears;
  }
  ~Helping() { thread_work.hears = outer_; }
  Helping(const Helping&) = delete;
  Helping& operator=(const Helping&) = delete;

 private:
  const Hears outer_;
};

}  // namespace xg2lab
