// A template as Python holds it, and the arguments of a request.
#pragma once

#include <memory>

#include "bind/bind.h"
#include "templates/arguments.h"
#include "templates/slots.h"
#include "vocab/token_sets.h"

namespace xg2lab::bind {

using TemplateObject = templates::ScopedTemplate;
using TemplatePtr = std::shared_ptr<TemplateObject>;

// Python's values as data. A value of an unknown type becomes an argument that no slot takes. If
// the template has a spelling, `encode` writes the texts; None: there is no encoder, so an
// argument may not contain a text. `tokens`: null if no vocabulary is known.
templates::Argument arguments_of(const py::dict& values, const TemplateObject& of,
                                 const py::object& encode, const TokenSets* tokens);
// The inverse, of arguments that slots took: tuples are lists, and bytes that are UTF-8 are a str.
py::object values_of(const templates::Argument& arguments);

}  // namespace xg2lab::bind
