// A template as Python holds it, and the arguments of a request.
#pragma once

#include <memory>
#include <vector>

#include "bind/bind.h"
#include "templates/arguments.h"
#include "templates/slots.h"

namespace xg2lab::bind {

using TemplateObject = templates::ScopedTemplate;
using TemplatePtr = std::shared_ptr<TemplateObject>;

// Python's values as data. A value of an unknown type becomes an argument that no slot takes.
templates::Argument arguments_of(const py::dict& values);

// A list of mistakes: (diagnostic, pointer).
py::list issues_to_python(const std::vector<templates::ArgumentIssue>& found,
                          const TemplateObject& of);

}  // namespace xg2lab::bind
