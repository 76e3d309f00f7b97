// Bodies of rules as nested tuples.
#pragma once

#include "bind/python.h"
#include "grammar/grammar.h"

namespace xg2lab::bind {

// By the names of rules; the docstring of Grammar.expressions describes the tuples.
pybind11::dict expressions_of(const Grammar& grammar);

}  // namespace xg2lab::bind
