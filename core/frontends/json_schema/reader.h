// Reads a schema's keywords as formulas, and records the state of each keyword.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   One function for each keyword, found in a table. The function looks at sibling keywords only
//   where the standard says so ("additionalProperties" at "properties", "then" at "if"). A schema
//   is read once, when its formula is first needed.
//
//   A keyword is recognized by its form (`exclusiveMinimum: true`, `items: [..]`), as far as the
//   schema's dialect has it (dialects.h). The formula of a schema may depend on the references
//   followed to it, its scope (references.h).
//
// SEE ALSO  JSON Schema 2020-12, core and validation; draft-04 to draft 2019-09.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/json_schema/coverage.h"
#include "frontends/json_schema/dialects.h"
#include "frontends/json_schema/formulas.h"
#include "frontends/json_schema/references.h"
#include "frontends/json_schema/slots.h"

namespace xg2lab::json_schema {

class Reader {
 public:
  Reader(const JsonDocument& document, References& references, Formulas& formulas,
         Conditions& conditions, Coverage& coverage, Slots& slots, bool checks_formats,
         bool plain_numbers);

  // The formula of a schema value, in the current scope.
  FormulaId schema(JsonId value);
  // The content of a schema: its keywords' formulas, joined by "and".
  FormulaId content(JsonId schema, ScopeId scope);
  // The target of a reference in the current scope. Nothing: it can't be resolved.
  std::optional<JsonId> target(JsonId schema, JsonId reference) const;
  const Dialect& dialect(JsonId schema) const { return dialects_.of(schema); }

  // Sets the current scope during its lifetime.
  class Within {
   public:
    Within(Reader& reader, ScopeId scope)
        : reader_(reader), before_(std::exchange(reader.scope_, scope)) {}
    Within(Reader& reader, JsonId entered)
        : Within(reader, reader.references_.enter(reader.scope_, entered)) {}
    ~Within() { reader_.scope_ = before_; }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;

   private:
    Reader& reader_;
    const ScopeId before_;
  };
  // "It is an object and has this property."
  FormulaId has_property(std::string_view name, JsonId origin);

 private:
  using Parts = std::vector<FormulaId>;
  using Keyword = void (Reader::*)(JsonId schema, JsonId value, Parts& parts);
  using KeywordRow = std::pair<std::string_view, Keyword>;
  static const std::vector<KeywordRow>& keyword_rows();
  static Keyword find_keyword(std::string_view name);

  void annotation(JsonId schema, JsonId value, Parts& parts);
  void type(JsonId schema, JsonId value, Parts& parts);
  void enumeration(JsonId schema, JsonId value, Parts& parts);
  void constant(JsonId schema, JsonId value, Parts& parts);
  void bound(JsonId schema, JsonId value, Parts& parts);
  void multiple_of(JsonId schema, JsonId value, Parts& parts);
  void number_keyword(JsonId schema, JsonId value);
  void length(JsonId schema, JsonId value, Parts& parts);
  void pattern(JsonId schema, JsonId value, Parts& parts);
  void format(JsonId schema, JsonId value, Parts& parts);
  void items(JsonId schema, JsonId value, Parts& parts);
  void prefix_items(JsonId schema, JsonId value, Parts& parts);
  void additional_items(JsonId schema, JsonId value, Parts& parts);
  void size(JsonId schema, JsonId value, Parts& parts);
  void contains(JsonId schema, JsonId value, Parts& parts);
  void contains_bound(JsonId schema, JsonId value, Parts& parts);
  void unique_items(JsonId schema, JsonId value, Parts& parts);
  void properties(JsonId schema, JsonId value, Parts& parts);
  void pattern_properties(JsonId schema, JsonId value, Parts& parts);
  void additional_properties(JsonId schema, JsonId value, Parts& parts);
  void required(JsonId schema, JsonId value, Parts& parts);
  void property_names(JsonId schema, JsonId value, Parts& parts);
  void count(JsonId schema, JsonId value, Parts& parts);
  void dependencies(JsonId schema, JsonId value, Parts& parts);
  void all_of(JsonId schema, JsonId value, Parts& parts);
  void any_of(JsonId schema, JsonId value, Parts& parts);
  void one_of(JsonId schema, JsonId value, Parts& parts);
  void negation(JsonId schema, JsonId value, Parts& parts);
  void condition(JsonId schema, JsonId value, Parts& parts);
  void consequence(JsonId schema, JsonId value, Parts& parts);
  void reference(JsonId schema, JsonId value, Parts& parts);
  void unevaluated(JsonId schema, JsonId value, Parts& parts);

  const FormulaId* known_content(JsonId schema, ScopeId scope) const;
  std::optional<JsonId> sibling(JsonId schema, std::string_view name) const;
  bool expect(bool is_well, JsonId value, const char* what);
  std::optional<uint32_t> size_value(JsonId value);
  std::optional<Decimal> number_value(JsonId value);
  std::vector<FormulaId> schemas(JsonId value);
  FormulaId value_atom(std::vector<JsonId> values, JsonId origin);
  // The formula of a schema whose `enum` or `const` is a slot; `parts`: those of all its keywords.
  std::optional<FormulaId> slot_formula(JsonId schema, const Parts& parts);
  // "If it is an object, it has this property."
  FormulaId presence(std::string_view name, JsonId origin);
  FormulaId is_object(JsonId origin);
  NameFilter other_names(JsonId schema);

  const JsonDocument& document_;
  References& references_;
  Formulas& formulas_;
  Conditions& conditions_;
  Coverage& coverage_;
  Slots& slots_;
  const bool checks_formats_;
  const bool plain_numbers_;
  const Dialects dialects_;
  ScopeId scope_ = References::kOutside;
  std::vector<std::optional<FormulaId>> contents_;  // without a scope; index: JsonId
  std::map<std::pair<JsonId, ScopeId>, FormulaId> scoped_contents_;
};

}  // namespace xg2lab::json_schema
