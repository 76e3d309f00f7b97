// The outline of a text in Python, for editors.
#include "grammar/outline.h"

#include <pybind11/stl.h>

#include <string>
#include <tuple>
#include <vector>

#include "bind/bind.h"
#include "bind/interruptible.h"
#include "frontends/ebnf/parser.h"
#include "frontends/lark/lark.h"
#include "support/error.h"
#include "support/text.h"

namespace xg2lab::bind {
namespace {

constexpr const char* kOutlineDoc = R"doc(
Read the names of a text, which may have mistakes.

Parameters
----------
text : str
    The text.
language : str
    "ebnf", "template" (EBNF with slots) or "lark".

Returns
-------
tuple of (list, list, list)
    Rules as (begin and end of the name, begin and end of the definition); names as (kind, begin, end), of the kinds
    "definition", "reference", "macro", "slot" and "parameter"; lexemes as (kind, begin, end). In the order of the text,
    in bytes.

Raises
------
LimitError, GrammarSyntaxError
    The text is too long, or not UTF-8.

>>> from xg2lab._core import _outline
>>> rules, names, lexemes = _outline('a ::= b | "x', "ebnf")
>>> rules, names, lexemes[-1]
([(0, 1, 0, 12)], [('definition', 0, 1), ('reference', 6, 7)], ('unterminated', 10, 12))
)doc";

using PyRule = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;
using PyPlace = std::tuple<const char*, uint32_t, uint32_t>;

const char* name_of(MentionKind kind) {
  switch (kind) {
    case MentionKind::kDefinition: return "definition";
    case MentionKind::kReference: return "reference";
    case MentionKind::kMacro: return "macro";
    case MentionKind::kSlot: return "slot";
    case MentionKind::kParameter: break;
  }
  return "parameter";
}

Outline outline_in(const std::string& text, const std::string& language) {
  if (language == "lark") return outline_lark(text);
  if (language == "ebnf" || language == "template")
    return outline_ebnf(text, language == "template");
  throw Error(ErrorKind::kArgumentError, concat("there is no language `", language, "`"),
              "the languages are ebnf, template and lark");
}

std::tuple<std::vector<PyRule>, std::vector<PyPlace>, std::vector<PyPlace>> outline_of(
    const std::string& text, const std::string& language) {
  const Outline outline = unlocked_in_budget([&] { return outline_in(text, language); });
  std::vector<PyRule> rules;
  std::vector<PyPlace> mentions;
  std::vector<PyPlace> lexemes;
  for (const OutlinedRule& rule : outline.rules)
    rules.emplace_back(rule.name.begin, rule.name.end, rule.span.begin, rule.span.end);
  for (const Mention& mention : outline.mentions)
    mentions.emplace_back(name_of(mention.kind), mention.span.begin, mention.span.end);
  for (const OutlinedLexeme& lexeme : outline.lexemes)
    lexemes.emplace_back(lexeme.kind, lexeme.span.begin, lexeme.span.end);
  return {std::move(rules), std::move(mentions), std::move(lexemes)};
}

}  // namespace

void bind_outline(py::module_& module) {
  module.def("_outline", &outline_of, py::arg("text"), py::arg("language"), kOutlineDoc);
}

}  // namespace xg2lab::bind
