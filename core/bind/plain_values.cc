// Reads values of plain tables without conversions: a value of another type is refused.
#include "bind/plain_values.h"

#include <bit>
#include <cstring>

namespace xg2lab::bind {

static_assert(std::endian::native == std::endian::little, "words are written as they lie");

uint32_t number(const py::handle& value) {
  if (!PyLong_CheckExact(value.ptr())) throw py::type_error("expected an integer");
  const auto wide = PyLong_AsUnsignedLongLong(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw py::value_error("an integer is out of range");
  }
  if (wide >= UINT32_MAX) throw py::value_error("an integer is out of range");
  return static_cast<uint32_t>(wide);
}

double real(const py::handle& value) {
  if (!PyFloat_CheckExact(value.ptr()) && !PyLong_CheckExact(value.ptr()))
    throw py::type_error("expected a number");
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw py::value_error("a number is out of range");
  }
  return number;
}

py::sequence row(const py::handle& value, size_t n_fields) {
  const bool is_row = py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value);
  if (!is_row || py::len(value) != n_fields) {
    throw py::value_error("expected a row of " + std::to_string(n_fields));
  }
  return py::reinterpret_borrow<py::sequence>(value);
}

py::sequence rows(const py::handle& value) {
  if (!py::isinstance<py::list>(value) && !py::isinstance<py::tuple>(value)) {
    throw py::type_error("expected a list");
  }
  return py::reinterpret_borrow<py::sequence>(value);
}

std::string string(const py::handle& value) {
  if (!py::isinstance<py::str>(value)) throw py::type_error("expected a string");
  Py_ssize_t n_bytes = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(value.ptr(), &n_bytes);
  if (bytes == nullptr) {
    PyErr_Clear();
    throw py::value_error("a string has half of a surrogate pair");
  }
  return std::string(bytes, static_cast<size_t>(n_bytes));
}

bool flag(const py::handle& value) {
  if (!py::isinstance<py::bool_>(value)) throw py::type_error("expected true or false");
  return value.ptr() == Py_True;
}

namespace {

py::object decoded_base64(const py::handle& text) {
  if (!py::isinstance<py::str>(text)) throw FormError("expected a string of base64");
  try {
    return py::module_::import("base64").attr("b64decode")(text, py::arg("validate") = true);
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_ValueError)) throw;  // binascii.Error is a ValueError
    throw FormError("not base64: " + py::cast<std::string>(py::str(error.value())));
  }
}

}  // namespace

std::vector<uint32_t> read_words(const py::handle& value) {
  const bool is_decoded = py::isinstance<py::bytes>(value);
  const auto bytes = is_decoded ? py::reinterpret_borrow<py::object>(value) : decoded_base64(value);
  const auto n_bytes = static_cast<size_t>(PyBytes_GET_SIZE(bytes.ptr()));
  if (n_bytes % sizeof(uint32_t) != 0)
    throw py::value_error("the bytes are not whole words of 32 bits");
  std::vector<uint32_t> out(n_bytes / sizeof(uint32_t));
  if (n_bytes > 0) std::memcpy(out.data(), PyBytes_AS_STRING(bytes.ptr()), n_bytes);
  return out;
}

py::bytes bytes_of_words(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)};
}

}  // namespace xg2lab::bind
