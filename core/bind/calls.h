// Guards around every call from Python, put there once the module is complete: no binding can go
// without.
//
// Tests: tests/core/test_refused_arguments.py, tests/core/test_hostile_calls.py
//
// IDEA
//   1. Objects. `Grammar.__new__(Grammar)` is an object whose C++ part was never made. pybind11
//      hands memory out for it when it is first used, which was right for constructors of an older
//      style. None of ours has that style, so this is refused: what is asked for memory is a
//      function that throws. Nor can an object become one of another class by an assignment to
//      `__class__`.
//   2. Words. A call whose arguments fit no signature raises a TypeError that lists C++
//      signatures, and a cast in a binding's body a RuntimeError. Each function's C entry is
//      replaced by one that calls the former and hands such errors to xg2lab/arguments.py, which
//      says what was given and what is wanted (ArgumentTypeError).
//   3. Numbers. pybind11 takes whatever int() takes, so 1.7 of NumPy is 1. Such a number is
//      refused where an integer is wanted, before the call.
//
// COST      a call that succeeds: one indirect call more, and two loads for each argument.
#pragma once

#include "bind/bind.h"

namespace xg2lab::bind {

// Of all classes and functions of the module. To be called last.
void guard_calls(py::module_& module);

}  // namespace xg2lab::bind
