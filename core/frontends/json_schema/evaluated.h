// The properties and items that a schema evaluates, for unevaluatedProperties and unevaluatedItems.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   Evaluation depends on which subschemas hold: {"anyOf": [A, B]} evaluates the names of A if A
//   holds, and those of B if B holds. So a schema is split into *branches*; within a branch it is
//   fixed which subschemas hold, and therefore what is evaluated. In each branch "unevaluated" is
//   equivalent to additionalProperties.
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
  // The evaluated properties.
  std::set<std::string_view> names;
  std::set<ConditionId> patterns;
  bool all_properties = false;
  // The evaluated items: the first ones, and those that satisfy one of these formulas.
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

  // The branches of a schema that holds, leaving out its keyword `except` (unevaluated...). Nothing
  // if there are too many, or if they can't be determined.
  std::optional<std::vector<Branch>> of(JsonId schema, std::string_view except);

 private:
  using Branches = std::vector<Branch>;
  bool add_schema(JsonId schema, std::string_view except, Branches& branches, int depth);
  bool add_keyword(JsonId schema, JsonId value, Branches& branches, int depth);
  // Adds the branches of a subschema that is required to hold.
  bool holds(JsonId schema, Branches& branches, int depth);
  // Replaces `branches` by the union of all ways. False: too many.
  static bool choose(std::vector<Branches> ways, Branches& branches);
  void restrict_to(Branches& branches, FormulaId condition);
  void evaluate(JsonId schema, Evaluated& evaluated, std::string_view except);

  const JsonDocument& document_;
  Formulas& formulas_;
  Conditions& conditions_;
  Reader& reader_;
};

}  // namespace xg2lab::json_schema
