// JSON Schema: a schema becomes a grammar of the JSON texts that are valid against it.
//
// Tests: tests/json_schema/, tests/differential/test_json_schema.py
//
// IDEA
//   reader     keywords               -> formulas      what each says
//   algebra    formulas               -> cases         and, or, not, worked out level by level
//   writer     cases                  -> expressions   one rule for each formula that a value must satisfy
//
//   {"type": "array", "items": {"$ref": "#"}}  ->  root ::= "[" ws (root (ws "," ws root)* ws)? "]"
//
// Nothing is weakened in silence: a keyword that can't be kept is an error that names it, or, if relaxing was asked for,
// stands in the coverage (docs/design/0023-json-schema.md).
//
// THREADS   pure. SEE ALSO  JSON Schema 2020-12, core and validation.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/json_schema/elements.h"
#include "grammar/grammar.h"
#include "support/json_value.h"

namespace xg2lab::json_schema {

// As many characters of whitespace in one place as any usual layout needs, and no more: a model that can go on with spaces or line
// breaks for ever sometimes does.
constexpr uint32_t kUsualWhitespace = 64;

struct Options {
  bool any_whitespace = true;
  std::optional<uint32_t> max_whitespace;  // characters in one place; without: kUsualWhitespace
  std::optional<uint32_t> indent;          // if not any_whitespace: spaces for each level
  std::string comma = ", ";                // if not any_whitespace
  std::string colon = ": ";
  bool is_strict = true;   // objects and arrays have nothing that their schema doesn't speak of
  bool any_order = false;  // of properties; else as declared, the others behind
  bool checks_formats =
      true;              // else `format` is an annotation, unless `$schema` says that it is not
  bool relaxes = false;  // what can't be kept is left out and listed
  bool plain_numbers = false;  // numbers as programs write them, with a bound to their digits
  const ElementStyle* elements = nullptr;  // null: JSON
  std::vector<std::string> excludes;       // texts that no string without pattern or format holds
};

// `document`: the schema, and behind it what references may lead to, with `uris` for all of them.
// Its keyword_uses() say what became of each keyword that was read.
// Throws UnsupportedError, GrammarError (the schema is none, or allows nothing), LimitError; with all places.
Grammar grammar_of_schema(const JsonDocument& document, const std::vector<std::string>& uris,
                          const Options& options);

}  // namespace xg2lab::json_schema
