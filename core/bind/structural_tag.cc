// Structural tags in Python: a tag's JSON and a tokenizer's special tokens in, a Grammar out.
#include "frontends/structural_tag/structural_tag.h"

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind/bind.h"
#include "bind/interruptible.h"
#include "bind/json_value.h"
#include "passes/pipeline.h"
#include "vocab/token_names.h"

namespace xg2lab::bind {
namespace {

constexpr const char* kFromStructuralTagDoc = R"doc(
Make the grammar of a structural tag: free text with tags, schemas and tokens in it.

Parameters
----------
structural_tag : StructuralTag, dict or str
    A `xg2lab.structural_tag.StructuralTag`, its JSON as a dict, or the JSON text. In the older form a list of
    `StructuralTagItem`, with `triggers`.
triggers, tags : list, optional
    For the older form only: `(tags, triggers)` by position, or both by name.
on_unsupported : "error" or "relax"
    "error" raises an UnsupportedError that names every keyword of its schemas which no grammar can enforce. "relax"
    drops them; the grammar's `relaxations` list them.

Returns
-------
Grammar
    A grammar with the rule `root`.

Raises
------
InvalidJSONError
    The text is not JSON.
InvalidStructuralTagError
    With *all* mistakes as `diagnostics`, each with a place in the indented JSON and a hint; `pointer` leads to the first.
UnsupportedError
    A schema has a keyword that can't be enforced; the message names it.

>>> tag = {"type": "structural_tag", "format": {
...     "type": "tag", "begin": "<a>", "content": {"type": "any_text"}, "end": "</a>"}}
>>> print(Grammar.from_structural_tag(tag))
root ::= "<a>" a
a ::= TagDispatch(stop_eos=false, loop_after_dispatch=true, stop_str=("</a>"))
<BLANKLINE>
>>> Grammar.from_structural_tag({"format": {"type": "any_txt"}})
Traceback (most recent call last):
xg2lab.errors.InvalidStructuralTagError: there is no format `any_txt`
  structural tag:3:13
    3 |     "type": "any_txt"
      |             ^^^^^^^^^
  hint: did you mean `any_text`?

See also: docs/design/0022-structural-tags.md.
)doc";

std::shared_ptr<TokenNames> names_of(std::shared_ptr<const Vocabulary> vocabulary) {
  std::vector<std::pair<std::string, TokenId>> special;
  for (const TokenId id : vocabulary->special_tokens()) {
    if (vocabulary->kind(id) == TokenKind::kSpecial)
      special.emplace_back(vocabulary->bytes(id), id);
  }
  std::vector<std::string> stops;
  for (const TokenId id : vocabulary->stop_tokens()) stops.emplace_back(vocabulary->bytes(id));
  auto named = [vocabulary](std::string_view text) {
    std::vector<TokenId> ids = tokens_named(*vocabulary, text);
    std::erase_if(ids, [&](TokenId id) { return vocabulary->kind(id) == TokenKind::kStop; });
    return ids;
  };
  auto like = [vocabulary](std::string_view text) { return token_name_like(*vocabulary, text); };
  return std::make_shared<TokenNames>(std::move(named), std::move(like), special, stops);
}

struct StructuralTagInput {
  JsonDocument document;
};

StructuralTagInput structural_tag_input(const py::object& tag, const py::function& read) {
  return {json_document(tag, py::dict(), "structural tag", read)};
}

std::shared_ptr<Grammar> structural_tag_grammar(
    const StructuralTagInput& tag, const std::optional<std::shared_ptr<TokenNames>>& names,
    bool relaxes) {
  return unlocked_in_budget([&] {
    return std::make_shared<Grammar>(check_grammar(
        grammar_of_structural_tag(tag.document, {names ? names->get() : nullptr, relaxes})));
  });
}

}  // namespace

void bind_structural_tag(py::module_& module) {
  auto grammar =
      py::reinterpret_borrow<py::class_<Grammar, std::shared_ptr<Grammar>>>(module.attr("Grammar"));
  grammar.def_static(
      "from_structural_tag",
      [](const py::object& structural_tag, const py::object& triggers, const py::object& tags,
         const std::string& on_unsupported) {
        py::object read = py::module_::import("xg2lab.grammar").attr("grammar_from_structural_tag");
        return py::cast<std::shared_ptr<Grammar>>(
            read(structural_tag, triggers, tags, py::arg("on_unsupported") = on_unsupported));
      },
      py::arg("structural_tag") = py::none(), py::arg("triggers") = py::none(), py::kw_only(),
      py::arg("tags") = py::none(), py::arg("on_unsupported") = "error", kFromStructuralTagDoc);
  py::class_<TokenNames, std::shared_ptr<TokenNames>>(
      module, "TokenNames",
      "What a vocabulary adds to a structural tag: tokens by their texts, and which texts are "
      "special tokens.")
      .def(py::init([](std::shared_ptr<Vocabulary> vocabulary) {
             return names_of(std::move(vocabulary));
           }),
           py::arg("vocabulary"));
  py::class_<StructuralTagInput>(
      module, "StructuralTagInput",
      "The JSON of a structural tag. `tag`: text, or what `read` makes values of.")
      .def(py::init(&structural_tag_input), py::arg("tag"), py::kw_only(), py::arg("read"))
      .def_property_readonly(
          "text", [](const StructuralTagInput& self) { return self.document.source()->text(); },
          "The structural tag as indented JSON text.");
  module.def("structural_tag_grammar", &structural_tag_grammar, py::arg("tag"),
             py::arg("names") = py::none(), py::arg("relaxes") = false,
             "The grammar of a structural tag. "
             "Users call `Grammar.from_structural_tag`.");
}

}  // namespace xg2lab::bind
