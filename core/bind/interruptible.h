// Calls that may be long: without the GIL, inside the fork gate, and ended by Ctrl-C.
//
// Tests: tests/core/test_interrupts.py
//
// IDEA
//   Work that hears an interrupt throws Interrupted (support/interrupts.h). It is caught here,
//   where the GIL is held and no lock of the engine is: Python runs its handlers. If one raises,
//   that is what the call raises; if all return, the call is done again from its beginning. So
//   `work` may be done twice: it moves nothing out of what it is given.
#pragma once

#include "bind/python.h"
#include "bind/unlocked.h"
#include "support/fork_gate.h"
#include "support/interrupts.h"

namespace xg2lab::bind {

// Runs the handlers of what has come. Throws what they raise.
inline void let_python_handle_signals() {
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

// With the GIL, for what is mostly short.
template <class Work>
auto interruptible(const Work& work, Length length = Length::kMaybeLong) {
  constexpr int kMostRuns =
      4;  // whoever sends a signal again and again is to get an answer all the same
  for (int i = 1; i < kMostRuns; ++i) {
    try {
      const Hearing hearing(length);
      if (length == Length::kLong) let_python_handle_signals();  // of those before it heard
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

// Without the GIL, for what takes no lock and so may call Python: under the terms of Python
// (xg2lab.work_limits) or the usual ones, texts that are read, and questions to grammars.
template <class Work>
auto unlocked_in_budget(const Work& work) {
  return interruptible(
      [&work] {
        const Unlocked unlocked;
        const Budget budget(xg2lab::Work::kCompile);
        auto made = work();
        check_budget("its last step");
        return made;
      },
      Length::kLong);
}

// The same with the GIL, for work that reads Python's values.
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
