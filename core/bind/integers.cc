// Read: items_of, ints_of.
#include "bind/integers.h"

#include <string>

#include "bind/tensor_view.h"
#include "support/error.h"
#include "support/text.h"

namespace xg2lab::bind {

std::vector<py::object> items_of(py::handle iterable, const char* what) {
  const auto sequence =
      py::reinterpret_steal<py::object>(PySequence_Fast(iterable.ptr(), "not iterable"));
  if (!sequence) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw py::error_already_set();
    PyErr_Clear();
    throw py::type_error(concat(what, " is ", kind_of_object(iterable), "; wanted a list"));
  }
  const auto n = static_cast<size_t>(PySequence_Fast_GET_SIZE(sequence.ptr()));
  std::vector<py::object> items;
  items.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(sequence.ptr(), static_cast<Py_ssize_t>(i));
    items.push_back(py::reinterpret_borrow<py::object>(item));
  }
  return items;
}

std::vector<int64_t> ints_of(py::handle iterable, const char* what) {
  const std::vector<py::object> items = items_of(iterable, what);
  std::vector<int64_t> values;
  values.reserve(items.size());
  const auto place = [&] { return concat(what, "[", values.size(), "]"); };
  for (const py::object& item : items) {
    if (PyIndex_Check(item.ptr()) == 0 || PyBool_Check(item.ptr()) != 0) {
      throw py::type_error(place() + " is " + kind_of_object(item) + "; wanted an int");
    }
    const auto integer = py::reinterpret_steal<py::object>(PyNumber_Index(item.ptr()));
    if (!integer) throw py::error_already_set();
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
    if (overflow != 0) {
      throw Error(ErrorKind::kArgumentError, place() + " has more than 64 bits",
                  "token ids, rows and counts are small");
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace xg2lab::bind
