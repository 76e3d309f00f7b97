// Turns of threads, and a lock that forks take: what Python's own threading can't do where an
// interrupt may come at any line.
#pragma once

#include "bind/python.h"

namespace xg2lab::bind {

void bind_turns(pybind11::module_& module);

}  // namespace xg2lab::bind
