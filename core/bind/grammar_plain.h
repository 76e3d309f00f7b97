// A grammar's plain tables as Python dicts and tuples, for xg2lab/grammar.py to write as JSON.
#pragma once

#include "bind/python.h"
#include "grammar/plain.h"

namespace xg2lab::bind {

pybind11::dict plain_to_python(const Grammar& grammar);
// Throws GrammarError, or Python's TypeError, ValueError, KeyError, for anything but such tables.
Grammar plain_from_python(const pybind11::dict& plain);

}  // namespace xg2lab::bind
