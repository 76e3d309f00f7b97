// Releases the GIL for its lifetime, like py::gil_scoped_release, but safe at the end of the
// process.
//
// Tests: tests/core/test_fork.py
//
// If a daemon thread requests the GIL while the interpreter shuts down, Python up to 3.13 ends the
// thread by pthread_exit. That unwinds the C++ frames like an exception: through destructors that
// may not throw, which aborts the process, and through those of py::object, which would touch
// Python without the GIL. So such a thread blocks here forever, as in Python 3.14; the end of the
// process ends it.
#pragma once

#include <chrono>
#include <thread>

#if defined(__GLIBCXX__)
#include <cxxabi.h>

#include "bind/python.h"
#endif

namespace xg2lab::bind {

class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  // A forced unwind has no exception object: the caught reference is null and must not be used.
  [[gnu::no_sanitize("null")]] ~Unlocked() {
#if defined(__GLIBCXX__)
    try {
      PyEval_RestoreThread(state_);
    } catch (const abi::__forced_unwind&) {
      while (true) std::this_thread::sleep_for(std::chrono::hours(1));
    }
#else
    PyEval_RestoreThread(state_);  // pthread_exit skips the destructors here
#endif
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace xg2lab::bind
