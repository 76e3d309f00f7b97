// Reader: read() a value, scalar by scalar; number() takes the digits of each numeric type;
// read_model() takes the fields of a model.
#include "bind/json_value.h"

#include <algorithm>
#include <optional>

#include "support/budget.h"
#include "support/counted_memory.h"
#include "support/error.h"
#include "support/json_reader.h"
#include "support/nesting.h"
#include "support/text.h"

namespace xg2lab::bind {
namespace {

namespace py = pybind11;

constexpr size_t kMostDepth = 500;
constexpr size_t kMostValues = 5'000'000;
constexpr Py_ssize_t kMostOnOneLine = 12;

bool is_scalar(PyObject* value) {
  return PyUnicode_Check(value) || PyLong_Check(value) || PyFloat_Check(value) || value == Py_None;
}

bool is_model(PyObject* value) { return PyObject_HasAttrString(value, "model_dump") != 0; }

bool is_container(PyObject* value) {
  if (is_scalar(value)) return false;
  return PyDict_Check(value) || PyList_Check(value) || PyTuple_Check(value) || is_model(value);
}

// Short lists of scalars, and empty containers.
bool fits_one_line(PyObject* value) {
  if (PyDict_Check(value)) return PyDict_Size(value) == 0;
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(value);
  if (size > kMostOnOneLine) return false;
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(value, i);
    if (is_container(item) || (PyUnicode_Check(item) && PyUnicode_GET_LENGTH(item) > 40))
      return false;
  }
  return true;
}

class Reader {
 public:
  void read_document(const py::handle& value, std::string_view title) {
    builder_.begin_document(title);
    read(value.ptr());
  }
  JsonDocument build(std::string name) && { return std::move(builder_).build(std::move(name)); }

 private:
  void read(PyObject* value) {
    if (builder_.n_values() >= kMostValues)
      throw Error(ErrorKind::kLimitError, "this JSON has more than 5,000,000 values");
    count();
    if (PyUnicode_Check(value)) {
      if (Py_TYPE(value) != &PyUnicode_Type && is_number_text(value))
        builder_.scalar(JsonKind::kNumber, utf8(value));
      else builder_.scalar(JsonKind::kString, utf8(value));
    } else if (PyDict_Check(value)) {
      read_object(value);
    } else if (PyList_Check(value) || PyTuple_Check(value)) {
      read_array(value);
    } else if (value == Py_None) {
      builder_.scalar(JsonKind::kNull);
    } else if (PyBool_Check(value)) {
      builder_.scalar(value == Py_True ? JsonKind::kTrue : JsonKind::kFalse);
    } else if (!is_known_format(value) && is_number(value)) {
      builder_.scalar(JsonKind::kNumber, number(value));
    } else {
      read_model(value);
    }
  }

  // A model of pydantic. The fields of our own formats are read where they are: model_dump would
  // first copy the schemas of all tools.
  void read_model(PyObject* value) {
    py::object fields;
    if (is_known_format(value)) {
      fields = py::reinterpret_steal<py::object>(PyObject_GenericGetDict(value, nullptr));
    } else if (is_model(value)) {
      if (!formats_) {
        formats_ = py::module_::import("xg2lab.structural_tag").attr("FORMAT_CLASSES");
        return read_model(value);
      }
      fields = py::reinterpret_borrow<py::object>(value).attr("model_dump")();
    } else {
      throw py::type_error("at \"" + pointer() + "\": a " + type_name(value) +
                           " is not a JSON value; use dict, list, str, int, float, bool or None");
    }
    if (!fields) throw py::error_already_set();
    if (!PyDict_Check(fields.ptr()))
      throw py::type_error("at \"" + pointer() + "\": the model_dump() of a " + type_name(value) +
                           " is no dict");
    read_object(fields.ptr());
  }
  // Whether the object is exactly of a class of xg2lab.structural_tag, whose fields are its JSON.
  bool is_known_format(PyObject* value) const {
    auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(value));
    return formats_ && PySet_Contains(formats_->ptr(), type) == 1;
  }

  // A few nested dicts can stand for any number of values if each occurs twice in the next. Their
  // text is a std::string, whose bytes the standard library allocates with its own operator new, so
  // they must be counted here.
  void count() {
    count_work(kDoing);
    n_text_bytes_ += kIndentation * builder_.depth() + kLeastOfLine;
    if (n_text_bytes_ - n_checked_bytes_ < kBytesPerCheck) return;
    n_checked_bytes_ = n_text_bytes_;
    check_bytes(kDoing,
                3 * n_text_bytes_);  // while a string grows, its old and its doubled buffer exist
  }

  void enter(PyObject* value, JsonKind kind) {
    if (builder_.depth() >= most_depth_)
      throw Error(ErrorKind::kLimitError,
                  concat("this JSON is nested more than ", most_depth_, " deep"),
                  "a dict or list that contains itself never ends");
    builder_.begin(kind, fits_one_line(value));
  }

  void read_object(PyObject* value) {
    enter(value, JsonKind::kObject);
    PyObject* key = nullptr;
    PyObject* item = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(value, &at, &key, &item) != 0) {
      if (!PyUnicode_Check(key)) {
        throw py::type_error(concat("keys of JSON objects are strings, not ", type_name(key), ": ",
                                    std::string(py::str(py::repr(key)))));
      }
      // A user's Decimal may run code that removes it from the dict.
      const auto held_key = py::reinterpret_borrow<py::object>(key);
      const auto held_item = py::reinterpret_borrow<py::object>(item);
      const std::string_view text = utf8(key);
      builder_.key(text);
      path_.push_back({text, 0});
      read(item);
      path_.pop_back();
    }
    builder_.end();
  }

  void read_array(PyObject* value) {
    enter(value, JsonKind::kArray);
    path_.push_back({});
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
      path_.back().index = static_cast<size_t>(i);
      const auto held = py::reinterpret_borrow<py::object>(PySequence_Fast_GET_ITEM(value, i));
      read(held.ptr());
    }
    path_.pop_back();
    builder_.end();
  }

  bool is_number(PyObject* value) {
    return PyLong_Check(value) || PyFloat_Check(value) || is_decimal(value);
  }
  std::string number(PyObject* value) {
    const auto text = py::reinterpret_steal<py::object>(
        PyFloat_Check(value)  ? PyFloat_Type.tp_repr(value)
        : PyLong_Check(value) ? PyLong_Type.tp_repr(value)  // also for an IntEnum
                              : PyObject_Str(value));
    if (!text) throw py::error_already_set();
    std::string digits = py::cast<std::string>(text);
    if (digits.empty() || digits.back() < '0' || digits.back() > '9')
      throw Error(ErrorKind::kArgumentError, "at \"" + pointer() + "\": JSON has no " + digits,
                  "leave it out, or give a number");
    return digits;
  }

  std::string_view utf8(PyObject* value) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(value, &size);
    n_text_bytes_ += static_cast<size_t>(std::max<Py_ssize_t>(size, 0));
    if (data == nullptr) {
      PyErr_Clear();
      throw Error(ErrorKind::kArgumentError,
                  "at \"" + pointer() +
                      "\": half of a surrogate pair, which no JSON text in UTF-8 can hold",
                  "give the character itself");
    }
    return {data, static_cast<size_t>(size)};
  }

  static std::string type_name(PyObject* value) { return Py_TYPE(value)->tp_name; }
  bool is_decimal(PyObject* value) {
    if (!decimal_) decimal_ = py::module_::import("decimal").attr("Decimal");
    return PyObject_IsInstance(value, decimal_->ptr()) == 1;
  }
  bool is_number_text(PyObject* value) {
    if (!number_text_)
      number_text_ = py::module_::import("xg2lab.support.json_text").attr("NumberText");
    return Py_TYPE(value) == reinterpret_cast<PyTypeObject*>(number_text_->ptr());
  }

  std::string pointer() const {
    std::string text;
    for (const Step& step : path_)
      text +=
          "/" + (step.key.data() != nullptr ? std::string(step.key) : std::to_string(step.index));
    return text;
  }

  struct Step {
    std::string_view key;  // null data: an index in a list
    size_t index = 0;
  };
  static constexpr std::string_view kDoing = "reading values of Python";
  static constexpr size_t kIndentation = 2;
  static constexpr size_t kLeastOfLine = 4;
  static constexpr size_t kBytesPerCheck = size_t{1} << 20;
  size_t n_text_bytes_ = 0;
  size_t n_checked_bytes_ = 0;
  const size_t most_depth_ = bounded_nesting(kMostDepth);
  JsonBuilder builder_;
  std::vector<Step> path_;
  std::optional<py::object> decimal_;
  std::optional<py::object> number_text_;
  std::optional<py::object> formats_;  // a frozenset of classes; none before the first model
};

}  // namespace

JsonDocument json_from_python(const py::object& value, const py::dict& others, std::string name) {
  Reader reader;
  reader.read_document(value, {});
  for (const auto& [title, other] : others)
    reader.read_document(other, py::cast<std::string>(py::str(title)));
  return std::move(reader).build(std::move(name));
}

JsonDocument json_document(const py::object& value, const py::dict& others, std::string name,
                           const py::function& read) {
  if (py::isinstance<py::str>(value) && others.empty()) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    if (text == nullptr) PyErr_Clear();
    else if (auto document = read_json_text({text, static_cast<size_t>(size)}, name))
      return std::move(*document);
  }
  return json_from_python(read(value), others, std::move(name));
}

}  // namespace xg2lab::bind
