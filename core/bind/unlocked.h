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

#include "bind/python.h"

namespace xg2lab::bind {

class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      // Python's C code throws nothing, so this is the unwinding by pthread_exit.
      while (true) std::this_thread::sleep_for(std::chrono::hours(1));
    }
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace xg2lab::bind
