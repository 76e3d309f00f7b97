// Terms of work in Python: a budget shared by several calls, from a text to a compiled grammar.
#include <limits>
#include <optional>
#include <utility>

#include <pybind11/stl.h>

#include "bind/bind.h"
#include "bind/interruptible.h"
#include "bind/turns.h"
#include "support/budget.h"
#include "support/counted_memory.h"
#include "support/error.h"

namespace xg2lab::bind {
namespace {

constexpr const char* kTermsDoc =
    "Limits of this thread's work, as a context manager: see xg2lab.work_limits. `seconds` and "
    "`bytes`: None means no limit.";

class Terms {
 public:
  Terms(std::optional<double> seconds, std::optional<size_t> bytes)
      : limits_{seconds.value_or(std::numeric_limits<double>::infinity()),
                bytes.value_or(std::numeric_limits<size_t>::max())} {}

  void enter() {
    if (terms_ != nullptr) {
      throw Error(ErrorKind::kMatcherStateError, "these limits are already in force",
                  "make a new object for each `with`");
    }
    terms_ = enter_terms(limits_);
  }

  void leave() {
    if (terms_ != nullptr) leave_terms(std::exchange(terms_, nullptr));
  }

  ~Terms() { leave(); }
  Terms(const Terms&) = delete;
  Terms& operator=(const Terms&) = delete;

 private:
  const WorkLimits limits_;
  const WorkTerms* terms_ = nullptr;
};

}  // namespace

void bind_work(py::module_& module) {
  bind_turns(module);
  py::class_<Terms>(module, "WorkTerms", kTermsDoc)
      .def(py::init<std::optional<double>, std::optional<size_t>>(), py::kw_only(),
           py::arg("seconds"), py::arg("bytes"))
      .def("__enter__", &Terms::enter)
      .def("__exit__", [](Terms& self, const py::args&) { self.leave(); });
  module.def(
      "check_work",
      [](const std::string& doing, size_t n_bytes) {
        check_work(doing);
        check_bytes(doing, n_bytes);
      },
      py::arg("doing"), py::arg("n_bytes") = 0,
      "Raises LimitError if the time of this thread's terms is over, or if `n_bytes` more bytes "
      "would exceed them.");
  module.def(
      "counts_bytes", [] { return counts_bytes(); },
      "Whether this build counts the memory that work takes; under a sanitizer it doesn't.");
}

}  // namespace xg2lab::bind
