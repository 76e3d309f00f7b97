// JSON values from Python objects: what json.loads returns, or what a user wrote as dicts and lists.
#pragma once

#include <string>

#include "bind/python.h"
#include "support/json_value.h"

namespace xg2lab::bind {

// One document of `value`; with `others`, a dict of title to value, these behind it.
// dict, list, tuple, str, bool, None, int, float, Decimal, and xg2lab.json_text.NumberText.
// Throws TypeError (by its pointer) for others, LimitError beyond kMostDepth and kMostValues.
JsonDocument json_from_python(const pybind11::object& value, const pybind11::dict& others,
                              std::string name);

}  // namespace xg2lab::bind
