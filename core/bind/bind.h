// The bindings of each layer: one function for each file, called by module.cc in layer order.
// Bindings convert in, check shapes, release the GIL, call one core function, convert out.
#pragma once

#include "bind/python.h"

namespace xg2lab::bind {

namespace py = pybind11;

void bind_errors(py::module_& module);
void bind_work(py::module_& module);
void bind_grammar(py::module_& module);
void bind_template(py::module_& module);
void bind_compiled_template(py::module_& module);
void bind_regular(py::module_& module);
void bind_json_schema(py::module_& module);
void bind_leaves(py::module_& module);
void bind_vocabulary(py::module_& module);
void bind_bitmask(py::module_& module);
void bind_plan(py::module_& module);
void bind_mask_costs(py::module_& module);
void bind_pool(py::module_& module);
void bind_runtime(py::module_& module);
void bind_structures(py::module_& module);
void bind_inspect(py::module_& module);
void bind_structural_tag(py::module_& module);
void bind_batch(py::module_& module);
void bind_operators(py::module_& module);
void bind_outline(py::module_& module);

}  // namespace xg2lab::bind
