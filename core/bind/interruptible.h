// Potentially long calls: without the GIL, inside the fork gate, and ended by Ctrl-C.
//
// Tests: tests/core/test_interrupts.py
//
// IDEA
//   Work that detects an interrupt throws Interrupted (support/interrupts.h). The exception is
//   caught here, where the GIL is held and no engine lock is: Python runs its handlers. If a
//   handler raises, the call raises that error; otherwise the call is repeated from its beginning.
//   So `work` may run twice and must not move anything out of its arguments.
#pragma once

#include "bind/python.h"
#include "bind/unlocked.h"
#include "support/fork_gate.h"
#include "support/interrupts.h"

namespace xg2lab::bind {

// Runs the handlers of pending signals. Throws the errors that they raise.
inline void let_python_handle_signals() {
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

// With the GIL, for work that is mostly short.
template <class Work>
auto interruptible(const Work& work, Length length = Length::kMaybeLong) {
  constexpr int kMostRuns =
      4;  // limit on repetitions, so that a caller who keeps sending signals still gets an answer
  for (int i = 1; i < kMostRuns; ++i) {
    try {
      const Hearing hearing(length);
      // runs the handlers of earlier signals
      if (length == Length::kLong) let_python_handle_signals();
      return work();
    } catch (const Interrupted&) {}
    let_python_handle_signals();
  }
  return work();
}

// Without the GIL, inside the fork gate.
template <class Work>
auto unlocked(const Work& work, Length length = Length::kMaybeLong) {
  return interruptible(
      [&work] {
        const Unlocked unlocked;
        const ForkGate::Inside inside;
        return work();
      },
      length);
}

// Without the GIL and outside the fork gate, for work that takes no lock and may call Python, such
// as parsing texts and queries on grammars; under Python's terms (xg2lab.work_limits) or the usual
// ones.
template <class Work>
auto unlocked_in_budget(const Work& work) {
  return interruptible(
      [&work] {
        const Unlocked unlocked;
        const Budget budget(xg2lab::Work::kCompile);
        auto made = work();
        check_budget("finishing");
        return made;
      },
      Length::kLong);
}

// The same with the GIL, for work that reads Python values.
template <class Work>
auto in_budget(const Work& work) {
  return interruptible(
      [&work] {
        const Budget budget(xg2lab::Work::kCompile);
        return work();
      },
      Length::kLong);
}

}  // namespace xg2lab::bind
