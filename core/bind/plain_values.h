// Reads the values of the plain tables of serialized objects.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "bind/python.h"

namespace xg2lab::bind {

namespace py = pybind11;

// A value that has not the form in which it is written. xg2lab/compiling/serialization.py adds the
// remedy.
class FormError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// All throw Python's TypeError or ValueError; read_words also FormError.
uint32_t number(const py::handle& value);  // an int from 0 to 2^32 - 2; not a bool or a float
bool flag(const py::handle& value);
double real(const py::handle& value);         // an int or a float; not a bool
std::string string(const py::handle& value);  // as UTF-8
py::sequence row(const py::handle& value, size_t n_fields);
py::sequence rows(const py::handle& value);
// Words of 32 bits, least significant byte first, as bytes; or as the base64 of these bytes.
std::vector<uint32_t> read_words(const py::handle& value);
py::bytes bytes_of_words(const std::vector<uint32_t>& words);

}  // namespace xg2lab::bind
