#include "bind/bind.h"

namespace xg2lab::bind {

void bind_grammar(py::module_&) {}

}  // namespace xg2lab::bind
