// Guards around every call from Python, installed once the module is complete, so that no binding
// lacks them.
//
// Tests: tests/core/test_refused_arguments.py, tests/core/test_hostile_calls.py
//
// IDEA
//   1. Objects. `Grammar.__new__(Grammar)` is an object whose C++ part was never constructed. On
//      first use pybind11 would allocate memory for it, for the sake of an older style of
//      constructors that our classes don't use. So this is refused: the allocation function throws.
//      Nor can an object become one of another class by assigning to `__class__`.
//   2. Messages. If arguments fit no signature, pybind11 raises a TypeError that lists C++
//      signatures, and a failed cast in a binding's body raises a RuntimeError. The C entry of each
//      function is replaced by one that calls the original and passes such errors to
//      xg2lab/support/arguments.py, which says which value was given and which type is expected
//      (ArgumentTypeError).
//   3. Numbers. pybind11 accepts every number that int() accepts, so NumPy's 1.7 would become 1.
//      Such a number is refused before the call if an integer is expected.
//
// COST      a successful call: one more indirect call, and two loads for each argument.
#pragma once

#include "bind/bind.h"

namespace xg2lab::bind {

// Guards all classes and functions of the module. Must be called last.
void guard_calls(py::module_& module);

}  // namespace xg2lab::bind
