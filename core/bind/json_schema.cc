// JSON Schema in Python: a schema's values in, a grammar and what became of each keyword out.
#include "frontends/json_schema/json_schema.h"

#include <pybind11/stl.h>

#include "bind/bind.h"
#include "bind/json_value.h"
#include "bind/unlocked.h"
#include "support/deadline.h"

namespace xg2lab::bind {
namespace {

constexpr const char* kDoc =
    "The grammar of a schema's values. `schema`: what xg2lab.json_text.read_json returns, or dicts "
    "and lists; `registry`: URI to such values. Grammar.from_json_schema is the public way.";

constexpr double kMostSeconds = 20;

std::shared_ptr<Grammar> from_json_schema(const py::object& schema, const py::dict& registry,
                                          bool any_whitespace,
                                          std::optional<uint32_t> max_whitespace,
                                          std::optional<uint32_t> indent, std::string comma,
                                          std::string colon, bool strict, bool any_order,
                                          bool relaxes) {
  const JsonDocument document = json_from_python(schema, registry, "schema");
  std::vector<std::string> uris{""};
  for (const auto& [uri, other] : registry) uris.push_back(py::cast<std::string>(py::str(uri)));
  json_schema::Options options;
  options.any_whitespace = any_whitespace;
  options.max_whitespace = max_whitespace;
  options.indent = indent;
  options.comma = std::move(comma);
  options.colon = std::move(colon);
  options.is_strict = strict;
  options.any_order = any_order;
  options.relaxes = relaxes;
  const Unlocked unlocked;
  const Deadline deadline(kMostSeconds, "the time for a schema",
                          "make the schema smaller, or split it");
  return std::make_shared<Grammar>(json_schema::grammar_of_schema(document, uris, options));
}

}  // namespace

void bind_json_schema(py::module_& module) {
  module.def("_from_json_schema", &from_json_schema, py::arg("schema"), py::kw_only(),
             py::arg("registry"), py::arg("any_whitespace"), py::arg("max_whitespace"),
             py::arg("indent"), py::arg("comma"), py::arg("colon"), py::arg("strict"),
             py::arg("any_order"), py::arg("relaxes"), kDoc);
}

}  // namespace xg2lab::bind
