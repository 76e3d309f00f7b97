// What a schema's keywords say, as formulas; and what becomes of each of them.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   One function a keyword, found in a table. It looks at its siblings only where the standard says so ("additionalProperties"
//   at "properties", "then" at "if"). A schema is read when somebody asks what it says, and once.
//
//   Drafts differ in spelling more than in meaning: a keyword is read by its form (`exclusiveMinimum: true`, `items: [..]`), and
//   `$schema` decides where one form has two meanings (siblings of `$ref` up to draft-07 say nothing).
//
// SEE ALSO  JSON Schema 2020-12, core and validation; draft-04 to draft 2019-09.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "frontends/json_schema/coverage.h"
#include "frontends/json_schema/formulas.h"
#include "frontends/json_schema/references.h"

namespace xg2lab::json_schema {

class Reader {
 public:
  Reader(const JsonDocument& document, const References& references, Formulas& formulas,
         Conditions& conditions, Coverage& coverage);

  // What a value in a schema's place stands for.
  FormulaId schema(JsonId place);
  // What a schema says: its parts, joined by "and".
  FormulaId content(JsonId schema);
  // "It is an object and has this property."
  FormulaId has_property(std::string_view name, JsonId origin);

 private:
  using Parts = std::vector<FormulaId>;
  using Keyword = void (Reader::*)(JsonId schema, JsonId value, Parts& parts);
  static Keyword find_keyword(std::string_view name);

  void annotation(JsonId schema, JsonId value, Parts& parts);
  void type(JsonId schema, JsonId value, Parts& parts);
  void enumeration(JsonId schema, JsonId value, Parts& parts);
  void constant(JsonId schema, JsonId value, Parts& parts);
  void bound(JsonId schema, JsonId value, Parts& parts);
  void multiple_of(JsonId schema, JsonId value, Parts& parts);
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
  void refer(JsonId schema, JsonId value, std::optional<JsonId> target, Parts& parts);
  void dynamic_reference(JsonId schema, JsonId value, Parts& parts);
  void unevaluated(JsonId schema, JsonId value, Parts& parts);

  bool expect(bool is_well, JsonId value, const char* what);
  std::optional<uint32_t> size_value(JsonId value);
  std::optional<Decimal> number_value(JsonId value);
  std::vector<FormulaId> schemas(JsonId value);
  FormulaId value_atom(std::vector<JsonId> values, JsonId origin);
  // "If it is an object, it has this property."
  FormulaId presence(std::string_view name, JsonId origin);
  FormulaId is_object(JsonId origin);
  NameFilter other_names(JsonId schema);
  bool overrides_siblings(JsonId schema) const;

  const JsonDocument& document_;
  const References& references_;
  Formulas& formulas_;
  Conditions& conditions_;
  Coverage& coverage_;
  bool ref_overrides_ = false;  // draft-07 and before
  bool is_draft_4_ = false;     // by its `$schema`: 1.0 is no integer, `if` no keyword
  std::map<JsonId, FormulaId> contents_;
};

}  // namespace xg2lab::json_schema
