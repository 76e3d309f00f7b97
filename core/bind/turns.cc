// Python's own locks written in Python (Semaphore, Condition) lose count if an interrupt comes
// between two of their lines. The functions here are single calls for Python, which either complete
// or have no effect.
#include "bind/turns.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "bind/unlocked.h"
#include "support/error.h"
#include "support/fork_gate.h"

namespace xg2lab::bind {
namespace {

namespace py = pybind11;

// ---- Turns ----

constexpr const char* kTurnsDoc =
    "Limits how many threads of a process run a block at once: `with turns: ...`. A child of a "
    "fork "
    "begins with all turns free.";

// Waits outside the fork gate; otherwise a fork could wait for the holder of a turn that itself
// waits at the gate.
class Turns {
 public:
  explicit Turns(size_t n) : n_(n), state_(std::make_unique<State>(n)) {
    if (n == 0)
      throw Error(ErrorKind::kArgumentError, "the number of turns is 0", "give 1 or more");
  }

  void enter() {
    constexpr std::chrono::milliseconds kBetweenLooks{20};  // between checks for signals
    while (true) {
      State& state = of_this_process();
      {
        const std::lock_guard lock(state.mutex);
        if (state.n_free > 0) {
          --state.n_free;
          return;
        }
      }
      {
        const Unlocked unlocked;
        std::unique_lock lock(state.mutex);
        state.given_back.wait_for(lock, kBetweenLooks, [&] { return state.n_free > 0; });
      }
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
  }

  void leave() {
    State& state = of_this_process();
    {
      const std::lock_guard lock(state.mutex);
      state.n_free = std::min(n_, state.n_free + 1);
    }
    state.given_back.notify_one();
  }

  size_t n_free() {
    State& state = of_this_process();
    const std::lock_guard lock(state.mutex);
    return state.n_free;
  }

 private:
  struct State {
    explicit State(size_t n) : n_free(n) {}
    std::mutex mutex;
    std::condition_variable given_back;
    size_t n_free;  // guarded by mutex
  };

  // Needs the GIL. In a child the parent's waiting threads don't exist, and one of them may have
  // held the mutex, so the old state is leaked and replaced.
  State& of_this_process() {
    if (generation_ != ForkGate::generation()) {
      auto fresh = std::make_unique<State>(n_);
      static_cast<void>(state_.release());
      state_ = std::move(fresh);
      generation_ = ForkGate::generation();
    }
    return *state_;
  }

  const size_t n_;
  std::unique_ptr<State> state_;
  uint32_t generation_ = ForkGate::generation();
};

// ---- The lock taken before a fork ----

// Whether an interrupt came while a fork waited for the package's lock.
bool is_interrupt_kept = false;

// For os.register_at_fork, which prints exceptions and forks nevertheless, so the lock must be
// taken in any case. Errors of handlers other than interrupts are printed here.
void take_before_fork(const py::function& acquire) {
  constexpr int kMostTries = 1000;  // for a callable that doesn't take a lock
  is_interrupt_kept = false;        // a child may have inherited it
  for (int i = 0; i < kMostTries; ++i) {
    PyObject* const taken = PyObject_CallNoArgs(acquire.ptr());
    if (taken != nullptr) return Py_DECREF(taken);
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) {
      PyErr_Clear();
      is_interrupt_kept = true;
    } else if (PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
      throw py::error_already_set();
    } else {
      PyErr_WriteUnraisable(acquire.ptr());
    }
  }
}

// In the parent after the fork: raises the interrupt again.
void give_back_after_fork(const py::function& release) {
  release();
  if (std::exchange(is_interrupt_kept, false)) PyErr_SetInterrupt();
}

}  // namespace

void bind_turns(py::module_& module) {
  py::class_<Turns>(module, "Turns", kTurnsDoc)
      .def(py::init<size_t>(), py::arg("n"))
      .def("__enter__", &Turns::enter)
      .def("__exit__", [](Turns& self, const py::args&) { self.leave(); })
      .def_property_readonly("n_free", &Turns::n_free, "The number of free turns.");
  module.def("take_before_fork", &take_before_fork, py::arg("acquire"),
             "Calls `acquire` until it returns; an interrupt during the call waits for "
             "give_back_after_fork.");
  module.def("give_back_after_fork", &give_back_after_fork, py::arg("release"),
             "Calls `release`, and then delivers an interrupt that has waited.");
}

}  // namespace xg2lab::bind
