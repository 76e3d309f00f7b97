// Which properties and items a schema has evaluated: what unevaluatedProperties and unevaluatedItems ask for.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   What is evaluated depends on which subschemas hold: {"anyOf": [A, B]} evaluates the names of A where A holds, and those of B
//   where B holds. So a schema's truth is divided into *branches*: in each it is known which of its subschemas hold, and with
//   them what was evaluated. "Unevaluated" then says in each branch what additionalProperties would say.
//
//   anyOf [A, B]   A and B: names of both.   A and not B: names of A.   B and not A: names of B.
//
// COST      branches multiply; beyond kMostBranches the keyword is refused.
// SEE ALSO  JSON Schema 2020-12, core section 11.
#pragma once

#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "frontends/json_schema/formulas.h"

namespace xg2lab::json_schema {

struct Evaluated {
  // Of properties.
  std::set<std::string_view> names;
  std::set<ConditionId> patterns;
  bool all_properties = false;
  // Of items: the first ones, and those of which one of these holds.
  uint32_t n_items = 0;
  std::vector<FormulaId> contained;
  bool all_items = false;

  void add(const Evaluated& other);
};

struct Branch {
  FormulaId condition = kAlways;
  Evaluated evaluated;
};

class Reader;

class Evaluations {
 public:
  Evaluations(const JsonDocument& document, Formulas& formulas, Conditions& conditions,
              Reader& reader)
      : document_(document), formulas_(formulas), conditions_(conditions), reader_(reader) {}

  // The branches of a schema that holds, without what `except` (unevaluated...) says in it. Nothing: too many, or
  // not to be known.
  std::optional<std::vector<Branch>> of(JsonId schema, std::string_view except);

 private:
  using Branches = std::vector<Branch>;
  bool add_schema(JsonId schema, std::string_view except, Branches& branches, int depth);
  bool add_keyword(JsonId schema, JsonId value, Branches& branches, int depth);
  // The branches of a subschema, which is said to hold as well.
  bool holds(JsonId schema, Branches& branches, int depth);
  // All branches of all ways. False: too many.
  static bool choose(std::vector<Branches> ways, Branches& branches);
  void restrict_to(Branches& branches, FormulaId condition);
  void evaluate(JsonId schema, Evaluated& evaluated, std::string_view except);

  const JsonDocument& document_;
  Formulas& formulas_;
  Conditions& conditions_;
  Reader& reader_;
};

}  // namespace xg2lab::json_schema
