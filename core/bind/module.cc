// The Python module `xg2lab._core`: a table of contents of its layers.
#include "bind/bind.h"
#include "bind/calls.h"

PYBIND11_MODULE(_core, module) {
  module.doc() =
      "The engine of xg2lab. Use the names of the package `xg2lab`; this module implements them.";
  xg2lab::bind::bind_errors(module);
  xg2lab::bind::bind_work(module);
  xg2lab::bind::bind_grammar(module);
  xg2lab::bind::bind_regular(module);
  xg2lab::bind::bind_json_schema(module);
  xg2lab::bind::bind_template(module);
  xg2lab::bind::bind_leaves(module);
  xg2lab::bind::bind_vocabulary(module);
  xg2lab::bind::bind_structural_tag(module);
  xg2lab::bind::bind_bitmask(module);
  xg2lab::bind::bind_plan(module);
  xg2lab::bind::bind_mask_costs(module);
  xg2lab::bind::bind_pool(module);
  xg2lab::bind::bind_runtime(module);
  xg2lab::bind::bind_compiled_template(module);
  xg2lab::bind::bind_structures(module);
  xg2lab::bind::bind_inspect(module);
  xg2lab::bind::bind_operators(module);
  xg2lab::bind::bind_batch(module);
  xg2lab::bind::bind_outline(module);
  xg2lab::bind::guard_calls(module);  // last: it guards all existing classes and functions
}
