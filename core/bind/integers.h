// Lists of integers from Python.
#pragma once

#include <cstdint>
#include <vector>

#include "bind/python.h"

namespace xg2lab::bind {

// The items of a list, tuple or other iterable. Throws Python's TypeError if `iterable` isn't one;
// `what` names it.
std::vector<pybind11::object> items_of(pybind11::handle iterable, const char* what);
// Integers by Python's __index__: no floats, no digits in a str, no bools. Throws Python's
// TypeError with the item's position, or ArgumentError for an integer of more than 64 bits.
std::vector<int64_t> ints_of(pybind11::handle iterable, const char* what);

}  // namespace xg2lab::bind
