// Lists of integers from Python.
#pragma once

#include <cstdint>
#include <vector>

#include "bind/python.h"

namespace xg2lab::bind {

// The items of a list, tuple or other iterable. Throws Python's TypeError: `what` is not one.
std::vector<pybind11::object> items_of(pybind11::handle iterable, const char* what);
// Integers as Python knows them (__index__): no floats, no digits in a str, no bools. Throws
// Python's TypeError with the item's place; ArgumentError for what has more than 64 bits.
std::vector<int64_t> ints_of(pybind11::handle iterable, const char* what);

}  // namespace xg2lab::bind
