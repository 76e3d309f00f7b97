// A grammar's plain tables as Python dicts and tuples, which xg2lab/grammar.py writes as JSON.
#pragma once

#include "bind/python.h"
#include "grammar/plain.h"

namespace xg2lab::bind {

pybind11::dict plain_to_python(const Grammar& grammar);
// Throws GrammarError, or Python's TypeError, ValueError or KeyError, for any other input.
Grammar plain_from_python(const pybind11::dict& plain);

}  // namespace xg2lab::bind
