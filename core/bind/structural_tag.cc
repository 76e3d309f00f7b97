// Structural tags in Python: a dict in, a Grammar out; and what a tokenizer adds to that.
#include "frontends/structural_tag/structural_tag.h"

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind/bind.h"
#include "bind/json_value.h"
#include "bind/unlocked.h"
#include "passes/pipeline.h"
#include "vocab/vocabulary.h"

namespace xg2lab::bind {
namespace {

std::shared_ptr<TokenNames> names_of(std::shared_ptr<const Vocabulary> vocabulary) {
  std::vector<std::pair<std::string, TokenId>> special;
  for (const TokenId id : vocabulary->special_tokens()) {
    if (vocabulary->kind(id) == TokenKind::kSpecial)
      special.emplace_back(vocabulary->bytes(id), id);
  }
  std::vector<std::string> stops;
  for (const TokenId id : vocabulary->stop_tokens()) stops.emplace_back(vocabulary->bytes(id));
  auto named = [vocabulary, special](std::string_view text) {
    std::vector<TokenId> ids;
    for (const auto& [name, id] : special) {
      if (name == text) ids.push_back(id);
    }
    const auto [begin, end] = vocabulary->find(text);
    for (TokenRank rank = begin; rank < end; rank = TokenRank(rank.index() + 1))
      ids.push_back(vocabulary->token_at(rank));
    return ids;
  };
  return std::make_shared<TokenNames>(std::move(named), special, stops);
}

std::shared_ptr<Grammar> structural_tag_grammar(
    const py::object& tag, const std::optional<std::shared_ptr<TokenNames>>& names) {
  const JsonDocument document = json_from_python(tag, py::dict(), "structural tag");
  const Unlocked unlocked;
  return std::make_shared<Grammar>(
      check_grammar(grammar_of_structural_tag(document, names ? names->get() : nullptr)));
}

}  // namespace

void bind_structural_tag(py::module_& module) {
  py::class_<TokenNames, std::shared_ptr<TokenNames>>(
      module, "TokenNames",
      "What a vocabulary adds to a structural tag: tokens by their texts, and which texts are "
      "special tokens.")
      .def(py::init([](std::shared_ptr<Vocabulary> vocabulary) {
             return names_of(std::move(vocabulary));
           }),
           py::arg("vocabulary"));
  module.def("structural_tag_grammar", &structural_tag_grammar, py::arg("tag"),
             py::arg("names") = py::none(),
             "A structural tag, as the dict that its JSON is, to a Grammar. "
             "`Grammar.from_structural_tag` is for use.");
}

}  // namespace xg2lab::bind
