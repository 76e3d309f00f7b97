// Diagnostics as Python objects (xg2lab.errors.Diagnostic), for errors and for Grammar.diagnostics.
#pragma once

#include <vector>

#include "bind/python.h"
#include "support/error.h"

namespace xg2lab::bind {

pybind11::list diagnostics_to_python(const std::vector<Diagnostic>& diagnostics,
                                     const SourceText& source);

}  // namespace xg2lab::bind
