// Releases the GIL for its lifetime. As py::gil_scoped_release, but for the end of the process.
//
// Tests: tests/core/test_fork.py
//
// A daemon thread that wants the GIL back while the interpreter shuts down is ended by it, up to Python 3.13, with
// pthread_exit. That unwinds the C++ frames like an exception: through destructors that may not throw, which
// aborts the process, and through py::object's, which would touch Python without the GIL. So such a thread stays
// here, as Python 3.14 lets it; the end of the process takes it along.
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
  // A forced unwind has no object: what is caught is a reference to nothing, which is never looked at.
  [[gnu::no_sanitize("null")]] ~Unlocked() {
#if defined(__GLIBCXX__)
    try {
      PyEval_RestoreThread(state_);
    } catch (const abi::__forced_unwind&) {
      while (true) std::this_thread::sleep_for(std::chrono::hours(1));
    }
#else
    PyEval_RestoreThread(state_);  // pthread_exit runs no destructors here
#endif
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace xg2lab::bind
