// Reads the values of the plain tables of serialized objects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bind/python.h"

namespace xg2lab::bind {

namespace py = pybind11;

// All throw Python's TypeError or ValueError.
uint32_t number(const py::handle& value);  // an int from 0 to 2^32 - 2; not a bool or a float
bool flag(const py::handle& value);
double real(const py::handle& value);         // an int or a float; not a bool
std::string string(const py::handle& value);  // as UTF-8
py::sequence row(const py::handle& value, size_t n_fields);
py::sequence rows(const py::handle& value);
// Words of 32 bits, least significant byte first, as bytes.
std::vector<uint32_t> words(const py::handle& value);
py::bytes bytes_of_words(const std::vector<uint32_t>& words);

// A member's mark: index bit 0 is whether it is required, bit 1 whether it may repeat.
inline constexpr std::string_view kMemberMarks = "?!*+";
inline constexpr char kOrderedMark = '>';  // before the marks of ordered members

}  // namespace xg2lab::bind
