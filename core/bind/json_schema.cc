// JSON Schema in Python: a schema's values in, a grammar and the state of each keyword out.
#include "bind/json_schema.h"

#include <pybind11/stl.h>

#include "bind/bind.h"
#include "bind/grammar_object.h"
#include "bind/interruptible.h"
#include "bind/json_value.h"

namespace xg2lab::bind {
namespace {

constexpr const char* kCoverageDoc = R"doc(
What became of each keyword of a JSON Schema or a structural tag, in the order of the text. A list that prints as a
table. Empty for grammars of other sources.

>>> grammar = Grammar.from_json_schema({"type": "string", "title": "a name", "maxLength": 9})
>>> [(use.pointer, use.state) for use in grammar.coverage]
[('/type', 'enforced'), ('/title', 'annotation'), ('/maxLength', 'enforced')]
)doc";

constexpr const char* kFromJsonSchemaDoc = R"doc(
Make the grammar of the JSON texts that are valid against a schema.

Parameters
----------
schema : str, dict, bool, pydantic model or dataclass
    JSON Schema 2020-12, or draft-04 to 2019-09 by `$schema` or by form.
any_whitespace : bool
    Whether spaces, tabs and line breaks are allowed wherever JSON allows them. If not, `indent` and `separators` say
    what is written there, as in json.dumps.
indent : int, optional
    Spaces for each level, if not any_whitespace. None: all on one line.
separators : (str, str), optional
    The text between members and the text after a name, if not any_whitespace. None: as in json.dumps.
strict_mode : bool
    Whether undeclared properties and items are forbidden: no property beside `properties`, no item after `prefixItems`,
    unless the schema itself says what they are. False: JSON Schema's own meaning.
max_whitespace_cnt : int, optional
    The most consecutive characters of whitespace. None: xg2lab.sources.json_schema.USUAL_WHITESPACE.
print_converted_ebnf : bool
    Whether to print the grammar as EBNF.
any_order : bool, optional
    Whether properties may come in any order. In either case required properties are present, and no declared property
    occurs twice. None: any order if not strict_mode, as JSON Schema means it.
on_unsupported : "error" or "relax"
    "error" raises an UnsupportedError that names every keyword which no grammar can enforce. "relax" drops them; the
    grammar's `relaxations` list them.
check_formats : bool
    Whether `format` is enforced, as a model's output should be. False: it is an annotation, which is the standard's
    default, unless the vocabularies of the schema's `$schema` require it.
number_form : "any" or "plain"
    How numbers are written. "any": in each of JSON's ways, so 90.0 and 9e1 are integers as well as 90. "plain": as
    json.dumps and JSON.stringify write them, and never without end. An integer is then digits alone, at most 40. Other
    numbers have at most 25 digits after the point, or one digit and an exponent within a double's range. Bounds,
    divisors and values are exact in both; where they have more digits, so may the number. `coverage` says what "plain"
    excludes.
registry : dict, optional
    URI to schema, for references to other documents. Nothing is fetched.

Returns
-------
Grammar
    `coverage` says what became of each keyword.

Raises
------
UnsupportedError
    A keyword can't be enforced exactly; the error has the place of each.
GrammarError
    The value is not a schema, or allows nothing.
InvalidJSONError
    The text is not JSON.
LimitError
    The schema's alternatives multiply beyond all bounds.

>>> grammar = Grammar.from_json_schema({"type": "array", "items": {"enum": ["a", "b"]}}, any_whitespace=False)
>>> print(grammar)
root ::= "[" ("\"a\"" | "\"b\"") (", " ("\"a\"" | "\"b\""))* "]" | "[]"
<BLANKLINE>
>>> Grammar.from_json_schema({"type": "array", "uniqueItems": True})
Traceback (most recent call last):
xg2lab.errors.UnsupportedError: at /uniqueItems: no grammar can compare items that have unlimited possible values
  schema:3:3
    3 |   "uniqueItems": true
      |   ^^^^^^^^^^^^^^^^^^^
  hint: uniqueItems works if the items have few possible values (enum, const, boolean, null, a short range, a pattern of few texts), or if no two positions can hold the same value

See also: xg2lab.sources.json_schema; docs/design/0023-json-schema.md.
)doc";

constexpr const char* kInputDoc =
    "A schema with the options of its grammar. `schema`: as for Grammar.from_json_schema; `read`: "
    "converts it to dicts and lists; `registry`: such values by URI.";

SchemaInput schema_input(const py::object& schema, const py::dict& registry, bool any_whitespace,
                         std::optional<uint32_t> max_whitespace, std::optional<uint32_t> indent,
                         std::string comma, std::string colon, bool strict, bool any_order,
                         bool check_formats, bool plain_numbers, bool relaxes,
                         const py::function& read) {
  SchemaInput input{json_document(schema, registry, "schema", read), {""}, {}};
  for (const auto& [uri, other] : registry)
    input.uris.push_back(py::cast<std::string>(py::str(uri)));
  json_schema::Options& options = input.options;
  options.any_whitespace = any_whitespace;
  options.max_whitespace = max_whitespace;
  options.indent = indent;
  options.comma = std::move(comma);
  options.colon = std::move(colon);
  options.is_strict = strict;
  options.any_order = any_order;
  options.checks_formats = check_formats;
  options.plain_numbers = plain_numbers;
  options.relaxes = relaxes;
  return input;
}

GrammarPtr from_json_schema(const SchemaInput& input) {
  return unlocked_in_budget([&] {
    return share(json_schema::grammar_of_schema(input.document, input.uris, input.options));
  });
}

// For xg2lab.sources.json_schema.Coverage, which finds names and pointers in the source.
py::list uses_of(const Grammar& grammar, bool only_relaxed) {
  py::list uses;
  for (const KeywordUse& use : grammar.keyword_uses()) {
    if (only_relaxed && use.state != KeywordState::kRelaxed) continue;
    uses.append(py::make_tuple(keyword_state_name(use.state), use.note,
                               py::make_tuple(use.span.begin, use.span.end)));
  }
  py::object type = py::module_::import("xg2lab.sources.json_schema").attr("Coverage");
  return type.attr("of")(grammar.source()->text(), uses);
}

py::list coverage_of(const Grammar& grammar) { return uses_of(grammar, false); }
py::list relaxations_of(const Grammar& grammar) { return uses_of(grammar, true); }

}  // namespace

void bind_json_schema(py::module_& module) {
  py::class_<SchemaInput>(module, "SchemaInput", kInputDoc)
      .def(py::init(&schema_input), py::arg("schema"), py::kw_only(), py::arg("registry"),
           py::arg("any_whitespace"), py::arg("max_whitespace"), py::arg("indent"),
           py::arg("comma"), py::arg("colon"), py::arg("strict"), py::arg("any_order"),
           py::arg("check_formats"), py::arg("plain_numbers"), py::arg("relaxes"), py::arg("read"))
      .def_property_readonly(
          "text", [](const SchemaInput& self) { return self.document.source()->text(); },
          "The schema as JSON text; with a registry, its documents follow.");
  module.def("_from_json_schema", &from_json_schema, py::arg("schema"),
             "The grammar of a schema. Users call `Grammar.from_json_schema`.");
  py::class_<Grammar, GrammarPtr>(module.attr("Grammar"))
      .def_property_readonly("coverage", &coverage_of, kCoverageDoc)
      .def_property_readonly(
          "relaxations", &relaxations_of,
          "The keywords of `coverage` that are not enforced, because on_unsupported is \"relax\".")
      .def_static(
          "from_json_schema",
          [](const py::object& schema, const py::kwargs& options) -> GrammarPtr {
            py::object read =
                py::module_::import("xg2lab.sources.json_schema").attr("grammar_from_json_schema");
            return py::cast<GrammarPtr>(read(schema, **options));
          },
          py::arg("schema"), kFromJsonSchemaDoc);
}

}  // namespace xg2lab::bind
