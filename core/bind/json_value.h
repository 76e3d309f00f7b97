// JSON values from Python: text, results of json.loads, or dicts, lists and models of a user.
#pragma once

#include <string>

#include "bind/python.h"
#include "support/json_value.h"

namespace xg2lab::bind {

// One document of `value`, followed by those of `others`, a dict from title to value. Accepts dict,
// list, tuple, str, bool, None, int, float, Decimal, xg2lab.support.json_text.NumberText, and
// models of pydantic. Throws TypeError (with the pointer) for other types, LimitError beyond
// kMostDepth and kMostValues.
JsonDocument json_from_python(const pybind11::object& value, const pybind11::dict& others,
                              std::string name);

// The same for a value that may be JSON text. Ordinary text is read here. Any other text or value
// is passed to `read`, which returns values and reports the mistakes of a text.
JsonDocument json_document(const pybind11::object& value, const pybind11::dict& others,
                           std::string name, const pybind11::function& read);

}  // namespace xg2lab::bind
