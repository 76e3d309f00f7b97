// xg2lab::Error becomes the class of the same name in xg2lab/errors.py, with its diagnostics.
#include "bind/bind.h"

#include <pybind11/stl.h>

#include "bind/diagnostics.h"
#include "support/budget.h"
#include "support/error.h"
#include "support/nesting.h"
#include "support/text.h"
#include "support/visible.h"

namespace xg2lab::bind {
namespace {

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::kError: return "error";
    case Severity::kWarning: return "warning";
    case Severity::kHint: return "hint";
  }
  return "error";
}

// A message may quote bytes that are not UTF-8; they are shown as \xHH.
py::object text_of(std::string_view quoting) {
  const std::string message = visible(quoting);
  return py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
      message.data(), static_cast<Py_ssize_t>(message.size()), "backslashreplace"));
}

// A JSON Pointer. Names of arguments may hold bytes that are not UTF-8.
py::object pointer_text(const std::string& pointer) {
  return py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
      pointer.data(), static_cast<Py_ssize_t>(pointer.size()), "surrogateescape"));
}

void set_error(const Error& error) {
  py::module_ errors = py::module_::import("xg2lab.errors");
  py::object type = errors.attr(error_kind_name(error.kind()));
  py::dict details;
  details["hint"] = text_of(error.diagnostics().front().hint);
  if (!error.diagnostics().front().code.empty()) {
    details["diagnostics"] = diagnostics_to_python(error.diagnostics(), error.source());
    const std::string& source = error.source().text();
    details["source"] = py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
        source.data(), static_cast<Py_ssize_t>(source.size()), "surrogateescape"));
  }
  if (error.pointer()) details["pointer"] = pointer_text(*error.pointer());
  py::object exception = type(text_of(error.what()), **details);
  PyErr_SetObject(type.ptr(), exception.ptr());
}

// Constructing the exception runs Python code, including signal handlers. If they raise, or if
// anything else fails there, the call raises that error.
void raise(const Error& error) {
  try {
    set_error(error);
  } catch (py::error_already_set& instead) {
    instead.restore();
  }
}

Error out_of_memory() {
  return {ErrorKind::kLimitError,
          concat("the system gives this process no more memory: stopped while ", last_work()),
          "give the process more memory, or lower EngineOptions.max_work_bytes so that less is "
          "tried"};
}

}  // namespace

py::list diagnostics_to_python(const std::vector<Diagnostic>& diagnostics,
                               const SourceText& source) {
  py::object type = py::module_::import("xg2lab.errors").attr("Diagnostic");
  py::list list;
  for (const Diagnostic& diagnostic : diagnostics) {
    const SourcePosition position = source.position(diagnostic.span.begin);
    list.append(type(diagnostic.code, severity_name(diagnostic.severity),
                     text_of(diagnostic.message), text_of(diagnostic.hint),
                     py::make_tuple(diagnostic.span.begin, diagnostic.span.end), position.line,
                     position.column,
                     diagnostic.pointer ? pointer_text(*diagnostic.pointer) : py::none()));
  }
  return list;
}

void bind_errors(py::module_& module) {
  py::register_local_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Error& error) {
      raise(error);
    } catch (const std::bad_alloc&) {
      raise(out_of_memory());
    }
  });
  module.def("_most_nesting", [] { return most_nesting.load(); }, "See xg2lab.support.nesting.");
  module.def(
      "_set_most_nesting", [](size_t most) { most_nesting.store(most); }, py::arg("most"),
      "See xg2lab.support.nesting.");
}

}  // namespace xg2lab::bind
