// A semaphore and a lock held across forks that stay correct if an interrupt comes between any two
// lines of Python; Python's own threading doesn't guarantee that.
#pragma once

#include "bind/python.h"

namespace xg2lab::bind {

void bind_turns(pybind11::module_& module);

}  // namespace xg2lab::bind
