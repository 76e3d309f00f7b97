// Read: refuse_half_made, guarded, keep_class, guard_calls.
// The trick: pybind11 enters all functions of a module through one C function, so replacing this
// function covers all of them.
#include "bind/calls.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace xg2lab::bind {
namespace {

// ---- Objects that were never constructed ----

[[noreturn]] void* refuse_half_made(size_t) {
  throw py::type_error("the object is not initialized: its __init__ was not called");
}

// False for an object of one of our classes, or of a derived class, whose C++ part is missing.
bool is_made(py::handle object) {
  PyTypeObject* const type = Py_TYPE(object.ptr());
  if (PyType_IsSubtype(Py_TYPE(reinterpret_cast<PyObject*>(type)),
                       py::detail::get_internals().default_metaclass) == 0) {
    return true;
  }
  auto* const instance = reinterpret_cast<py::detail::instance*>(object.ptr());
  for (auto& part : py::detail::values_and_holders(instance)) {
    if (!part.instance_registered() && part.value_ptr() == nullptr) return false;
  }
  return true;
}

// pybind11's common base class has no constructor, and the process ends if the class or its
// `__new__` is called. pickle calls it in its first two protocols. The metaclass is shared by all
// modules made with pybind11; calls of all other classes are passed on unchanged.
ternaryfunc call_class = nullptr;  // pybind11's
newfunc new_object = nullptr;

bool has_constructor(PyTypeObject* type) {
  if (!py::detail::all_type_info(type).empty()) return true;
  PyErr_Format(PyExc_TypeError, "%s has no constructor", type->tp_name);
  return false;
}

PyObject* call_registered(PyObject* type, PyObject* arguments, PyObject* keywords) {
  const bool has_one = has_constructor(reinterpret_cast<PyTypeObject*>(type));
  return has_one ? call_class(type, arguments, keywords) : nullptr;
}

PyObject* new_registered(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  return has_constructor(type) ? new_object(type, arguments, keywords) : nullptr;
}

// Replaces tp_new in `type` and in all classes that inherited it: Python's `Base.__new__(Derived)`
// raises a TypeError if the two classes' tp_new differ.
void make_by_new_registered(PyTypeObject* type) {
  if (type->tp_new != new_object) return;
  type->tp_new = &new_registered;
  const auto derived = py::handle(reinterpret_cast<PyObject*>(type)).attr("__subclasses__")();
  for (const py::handle one : derived)
    make_by_new_registered(reinterpret_cast<PyTypeObject*>(one.ptr()));
}

void guard_base() {
  auto& internals = py::detail::get_internals();
  PyTypeObject* const meta = internals.default_metaclass;
  auto* const base = reinterpret_cast<PyTypeObject*>(internals.instance_base);
  if (meta->tp_call == &call_registered) return;
  call_class = meta->tp_call;
  meta->tp_call = &call_registered;
  new_object = base->tp_new;
  make_by_new_registered(base);
}

// ---- Messages ----

using Entry = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

Entry enter = nullptr;  // pybind11's

// Replaces the current error if it is about arguments: it is of one of Python's own classes and has
// no traceback, since no Python code raised it.
void put_in_our_words(PyObject* record, const py::object& arguments, const py::object& keywords) {
  PyObject* const type = PyErr_Occurred();
  if (type != PyExc_TypeError && type != PyExc_RuntimeError && type != PyExc_AttributeError) return;
  py::error_already_set error;
  try {
    const auto* function = py::detail::function_record_ptr_from_PyObject(record);
    const bool has_self =
        !function->is_method || py::len(arguments) == 0 ||
        PyObject_TypeCheck(py::object(arguments[py::int_(0)]).ptr(),
                           reinterpret_cast<PyTypeObject*>(function->scope.ptr()));
    if (error.trace() && has_self) {
      error.restore();
      return;
    }
    const py::object owner = function->is_constructor && function->scope
                                 ? py::object(function->scope.attr("__name__"))
                                 : py::object(py::str(function->name));
    const py::object words =
        py::module_::import("xg2lab.support.arguments")
            .attr("refusal")(owner, py::str(function->signature), error.value(), arguments,
                             keywords, function->is_constructor,
                             function->is_method ? function->scope : py::none());
    if (words.is_none()) {
      error.restore();
      return;
    }
    PyErr_SetObject(py::type::of(words).ptr(), words.ptr());
  } catch (py::error_already_set& other) {
    other.restore();
  }
}

// Whether int() would truncate the number: a float of NumPy, a Decimal, a Fraction. pybind11
// refuses Python's own floats.
bool is_cut_by_int(PyObject* value) {
  const PyNumberMethods* const methods = Py_TYPE(value)->tp_as_number;
  return methods != nullptr && methods->nb_int != nullptr && methods->nb_index == nullptr &&
         !PyFloat_Check(value);
}

struct Given {
  py::tuple positional;
  py::dict named;
};
Given given(PyObject* const* arguments, size_t n_positional, PyObject* keywords) {
  Given all{py::tuple(n_positional), py::dict()};
  for (size_t i = 0; i < n_positional; ++i)
    all.positional[i] = py::reinterpret_borrow<py::object>(arguments[i]);
  for (size_t i = 0; keywords != nullptr && i < static_cast<size_t>(PyTuple_GET_SIZE(keywords));
       ++i) {
    PyObject* const name = PyTuple_GET_ITEM(keywords, static_cast<Py_ssize_t>(i));
    PyDict_SetItem(all.named.ptr(), name, arguments[n_positional + i]);
  }
  return all;
}

// If an argument is such a number and an integer is expected, sets an error and returns true.
bool refuses_cut_number(PyObject* record, const Given& all) {
  const auto* function = py::detail::function_record_ptr_from_PyObject(record);
  if (function->next != nullptr) return false;  // another signature may accept it
  try {
    const py::object words =
        py::module_::import("xg2lab.support.arguments")
            .attr("cut_number")(py::str(function->name), py::str(function->signature),
                                all.positional, all.named, function->is_constructor);
    if (words.is_none()) return false;
    PyErr_SetObject(py::type::of(words).ptr(), words.ptr());
  } catch (py::error_already_set& error) {
    error.restore();
  }
  return true;
}

PyObject* guarded(PyObject* record, PyObject* const* arguments, Py_ssize_t n, PyObject* keywords) {
  const auto n_positional = static_cast<size_t>(PyVectorcall_NARGS(static_cast<size_t>(n)));
  const size_t n_named = keywords == nullptr ? 0 : static_cast<size_t>(PyTuple_GET_SIZE(keywords));
  if (std::any_of(arguments, arguments + n_positional + n_named, is_cut_by_int) &&
      refuses_cut_number(record, given(arguments, n_positional, keywords)))
    return nullptr;
  PyObject* result = nullptr;
  try {
    result = enter(record, arguments, n, keywords);
  } catch (py::error_already_set& error) {  // pybind11's own message failed
    error.restore();
  }
  if (result != nullptr) return result;
  if (PyErr_Occurred() == nullptr) return nullptr;
  const Given all = given(arguments, n_positional, keywords);
  put_in_our_words(record, all.positional, all.named);
  return nullptr;
}

// ---- All functions of the module ----

// A member function gets its object as a pointer, which would be null for None.
void refuse_none_as_self(py::detail::function_record& record) {
  if (!record.is_method) return;
  if (record.args.empty()) {
    record.args.emplace_back(strdup("self"), nullptr, py::handle(), /*convert=*/true,
                             /*none=*/false);
  } else {
    record.args.front().none = false;
  }
}

void guard_function(py::handle function) {
  if (!function) return;
  if (PyInstanceMethod_Check(function.ptr()))
    function = PyInstanceMethod_GET_FUNCTION(function.ptr());
  if (!PyCFunction_Check(function.ptr())) return;
  PyMethodDef* const method = reinterpret_cast<PyCFunctionObject*>(function.ptr())->m_ml;
  PyObject* const object = PyCFunction_GET_SELF(function.ptr());
  if (object == nullptr) return;
  auto* record = py::detail::function_record_ptr_from_PyObject(object);
  if (record == nullptr) return;
  for (; record != nullptr; record = record->next) refuse_none_as_self(*record);
  if (method->ml_flags != (METH_FASTCALL | METH_KEYWORDS))
    throw std::logic_error("this pybind11 is too old: it calls functions in an unknown way");
  const auto former = reinterpret_cast<void (*)()>(method->ml_meth);
  const auto ours = reinterpret_cast<void (*)()>(&guarded);
  if (former == ours) return;
  enter = reinterpret_cast<Entry>(former);
  method->ml_meth = reinterpret_cast<PyCFunction>(ours);
}

// Assigning to `__class__` would give the C++ part another type, since our classes have the same
// layout.
void keep_class(py::handle type) {
  const py::handle property(reinterpret_cast<PyObject*>(&PyProperty_Type));
  const py::cpp_function get([](py::handle object) { return py::type::handle_of(object); });
  const py::cpp_function set([](py::handle, py::handle) {
    const py::object error =
        py::module_::import("xg2lab.errors")
            .attr("ArgumentTypeError")("the class of an object of the engine can't be changed",
                                       py::arg("hint") = "make an object of the other class");
    PyErr_SetObject(py::type::of(error).ptr(), error.ptr());
    throw py::error_already_set();
  });
  guard_function(get);
  guard_function(set);
  auto* const own = reinterpret_cast<PyTypeObject*>(type.ptr());
  const py::object kept = property(get, set);
  if (PyDict_SetItemString(own->tp_dict, "__class__", kept.ptr()) != 0)
    throw py::error_already_set();
  PyType_Modified(own);
}

void guard_class(py::handle type) {
  auto* const info = py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(type.ptr()));
  if (info != nullptr) info->operator_new = &refuse_half_made;
  const auto members =
      py::reinterpret_steal<py::list>(PyMapping_Values(type.attr("__dict__").ptr()));
  const py::handle static_method(reinterpret_cast<PyObject*>(&PyStaticMethod_Type));
  const py::handle property(reinterpret_cast<PyObject*>(&PyProperty_Type));
  for (const py::handle member : members) {
    if (py::isinstance(member, static_method)) {
      guard_function(member.attr("__func__"));
    } else if (py::isinstance(member, property)) {
      guard_function(member.attr("fget"));
      guard_function(member.attr("fset"));
    } else {
      guard_function(member);
    }
  }
  keep_class(type);
}

}  // namespace

void guard_calls(py::module_& module) {
  module.def("_is_made", &is_made, py::arg("object"),
             "False for an object of this module's classes whose __init__ was never called.");
  const auto members =
      py::reinterpret_steal<py::list>(PyMapping_Values(module.attr("__dict__").ptr()));
  for (const py::handle member : members) {
    if (PyType_Check(member.ptr())) guard_class(member);
    else guard_function(member);
  }
  guard_base();
}

}  // namespace xg2lab::bind
