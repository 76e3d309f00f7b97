// Diagnostics as Python objects (xg2lab.errors.Diagnostic), for errors and for Grammar.diagnostics.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "support/error.h"

namespace xg2lab::bind {

pybind11::list diagnostics_to_python(const std::vector<Diagnostic>& diagnostics,
                                     const SourceText& source);

}  // namespace xg2lab::bind
