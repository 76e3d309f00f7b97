// The arguments of a request, as data: nothing in them is read as grammar.
//
// Tests: tests/core/test_template.py
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grammar/grammar.h"
#include "support/json_value.h"
#include "templates/slots.h"

namespace xg2lab::templates {

// A text in the tokens that an encoder writes for it.
struct TextInTokens {
  std::vector<TokenId> ids;
  // Why the ids don't spell the text, as misspelled() in spelled.h takes it; else empty.
  std::string mistake;
};

struct Argument {
  enum Kind : uint8_t { kText, kInteger, kNumber, kFlag, kNull, kList, kMapping, kGrammar, kOther };
  Kind kind = kOther;
  // kText: bytes. kInteger, kNumber, kNull, kOther: the value as messages show it
  std::string text;
  std::string digits;           // kInteger, kNumber: as JSON has them; empty if they are too many
  int64_t integer = 0;          // kInteger; the nearest int64 of a larger number
  bool flag = false;            // kFlag
  std::vector<Argument> items;  // kList
  std::vector<std::pair<std::string, Argument>> members;  // kMapping, in the order given
  std::shared_ptr<const Grammar> grammar;                 // kGrammar
  // kText, not empty, for a template with a spelling: filled by whoever calls the encoder.
  std::shared_ptr<const TextInTokens> in_tokens;

  std::span<const TokenId> tokens() const {
    return in_tokens ? std::span<const TokenId>(in_tokens->ids) : std::span<const TokenId>();
  }

  // kMapping. Null: no member has this name.
  const Argument* find(const std::string& name) const;
};

// A mistake in the arguments.
struct ArgumentIssue {
  std::string code;
  std::string message;
  std::string hint;
  SourceSpan span;      // in the template: the slot's first use, or its first rule
  std::string pointer;  // a JSON Pointer into the arguments
};

struct ArgumentLimits {
  size_t nesting = 200;           // of lists of mappings in one another
  size_t n_elements = 1'000'000;  // of all lists together
  size_t n_issues = 200;          // after so many the rest is not looked at
};

// All mistakes, in the order of the arguments. `arguments` is a mapping.
std::vector<ArgumentIssue> check_arguments(const Template& of, const std::vector<Scope>& scopes,
                                           const Argument& arguments,
                                           const ArgumentLimits& limits = {});

// Arguments that check_arguments took for JSON values, as an array.
JsonDocument json_list(std::span<const Argument> values);

// The TemplateArgumentError with all `issues`, of which there is at least one. `source`: the
// template's text.
Error argument_error(const std::vector<ArgumentIssue>& issues, const SourceText& source);

}  // namespace xg2lab::templates
