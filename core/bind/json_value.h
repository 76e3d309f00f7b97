// JSON values from Python objects: results of json.loads, or dicts and lists written by a user.
#pragma once

#include <string>

#include "bind/python.h"
#include "support/json_value.h"

namespace xg2lab::bind {

// One document of `value`, followed by those of `others`, a dict from title to value. Accepts dict,
// list, tuple, str, bool, None, int, float, Decimal, and xg2lab.support.json_text.NumberText.
// Throws TypeError (with the pointer) for other types, LimitError beyond kMostDepth and
// kMostValues.
JsonDocument json_from_python(const pybind11::object& value, const pybind11::dict& others,
                              std::string name);

}  // namespace xg2lab::bind
