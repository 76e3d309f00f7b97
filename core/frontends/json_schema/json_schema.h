// Turns a JSON Schema into a grammar of the JSON texts that are valid against it.
//
// Tests: tests/json_schema/, tests/differential/test_json_schema.py
//
// IDEA
//   reader     keywords  -> formulas      the requirement of each keyword
//   algebra    formulas  -> cases         "and", "or", "not" expanded level by level
//   writer     cases     -> expressions   one rule for each formula that a value must satisfy
//
//   {"type": "array", "items": {"$ref": "#"}}  ->  root ::= "[" ws (root (ws "," ws root)* ws)? "]"
//
// No constraint is weakened silently: a keyword that can't be enforced is an error that names it
// or, if relaxing was requested, an entry in the coverage report (docs/design/0023-json-schema.md).
//
// THREADS   pure. SEE ALSO  JSON Schema 2020-12, core and validation.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/json_schema/elements.h"
#include "grammar/template.h"
#include "support/json_value.h"

namespace xg2lab::json_schema {

// The default limit on whitespace in one place, generous for any usual layout. Without a limit,
// models sometimes generate spaces or line breaks forever.
constexpr uint32_t kUsualWhitespace = 64;

struct Options {
  bool any_whitespace = true;
  std::optional<uint32_t> max_whitespace;  // characters in one place; default: kUsualWhitespace
  std::optional<uint32_t> indent;          // if not any_whitespace: spaces for each level
  std::string comma = ", ";                // if not any_whitespace
  std::string colon = ": ";
  bool is_strict = true;   // objects and arrays contain nothing that their schema doesn't mention
  bool any_order = false;  // of properties; otherwise as declared, with others last
  bool checks_formats =
      true;              // otherwise `format` is an annotation, unless `$schema` requires checking
  bool relaxes = false;  // unsupported constraints are dropped and listed
  bool plain_numbers = false;  // numbers in the spellings of programs, with a limit on their digits
  const ElementStyle* elements = nullptr;  // null: JSON
  uint32_t depth = 0;                      // of the value in an indented text
  // texts that strings without pattern or format must not contain
  std::vector<std::string> excludes;
};

// `document`: the schema, followed by the documents that references may lead to; `uris` has one
// entry for each. The result's keyword_uses() give the state of each keyword that was read. Throws
// UnsupportedError, GrammarError (the schema is invalid, or no value satisfies it) or LimitError,
// with all places.
Grammar grammar_of_schema(const JsonDocument& document, const std::vector<std::string>& uris,
                          const Options& options);

// The same for a schema with slots (slots.h).
Template template_of_schema(const JsonDocument& document, const std::vector<std::string>& uris,
                            const Options& options);

}  // namespace xg2lab::json_schema
