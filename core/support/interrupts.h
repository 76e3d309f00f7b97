// Interrupts: Ctrl-C ends a long call, though no Python runs in it.
//
// Tests: tests/core/test_interrupts.py
//
// IDEA
//   Python's own handler of SIGINT leaves a mark that only the interpreter reads. A call that
//   works without the interpreter can't ask for it: a thread inside the fork gate never waits for
//   the GIL (support/fork_gate.h). So while the main thread is in a long call, a handler of ours
//   stands before Python's. It leaves a mark of its own, which check_budget reads, and then calls
//   Python's. bind/ catches what check_budget throws, outside the gate, and asks Python what to
//   do.
//
//   To take the handler's place are two calls of the system. A short call has no handler: it is
//   over when the interpreter looks.
//
// THREADS   Python hands signals to the main thread, so only its calls hear interrupts, and
//           threads that help it (Helping).
#pragma once

#include "support/budget.h"

namespace xg2lab {

enum class Length : uint8_t { kMaybeLong, kLong };

class Hearing {
 public:
  // kLong: the handler stands from the beginning. kMaybeLong: from the first look of check_budget.
  explicit Hearing(Length length);
  ~Hearing();
  Hearing(const Hearing&) = delete;
  Hearing& operator=(const Hearing&) = delete;

 private:
  const Hears outer_;
};

// For check_budget, in a thread that `hears`: the handler takes its place, if this is the main
// thread.
void begin_to_hear();
// Whether an interrupt came since the handler took its place.
bool is_interrupted();

// What a thread hands to those who help it, and what these work under as long as they do.
struct Share {
  Hears hears = Hears::kNothing;
  // Of the calling thread, whose handler takes its place now.
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
