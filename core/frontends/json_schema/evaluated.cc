#include "frontends/json_schema/evaluated.h"

#include <algorithm>
#include <utility>

#include "frontends/json_schema/reader.h"

namespace xg2lab::json_schema {
namespace {

constexpr size_t kMostBranches = 256;
constexpr int kMostLevels = 30;

}  // namespace

void Evaluated::add(const Evaluated& other) {
  names.insert(other.names.begin(), other.names.end());
  patterns.insert(other.patterns.begin(), other.patterns.end());
  all_properties |= other.all_properties;
  n_items = std::max(n_items, other.n_items);
  contained.insert(contained.end(), other.contained.begin(), other.contained.end());
  all_items |= other.all_items;
}

std::optional<std::vector<Branch>> Evaluations::of(JsonId schema, std::string_view except) {
  Branches branches{Branch{}};
  if (!add_schema(schema, except, branches, 0)) return std::nullopt;
  return branches;
}

// Adds the properties and items that a schema's own keywords evaluate.
void Evaluations::evaluate(JsonId schema, Evaluated& evaluated, std::string_view except) {
  const Dialect& dialect = reader_.dialect(schema);
  for (JsonId value : document_.children(schema)) {
    const std::string_view name = document_.key(value);
    if (name == except || !dialect.why_none(name).empty()) continue;
    if (name == "properties" && document_.is_object(value)) {
      for (JsonId property : document_.children(value))
        evaluated.names.insert(document_.key(property));
    } else if (name == "patternProperties" && document_.is_object(value)) {
      for (JsonId pattern : document_.children(value))
        evaluated.patterns.insert(
            conditions_.add(ConditionKind::kPattern, document_.key(pattern), pattern));
    } else if (name == "additionalProperties" || name == "unevaluatedProperties") {
      evaluated.all_properties = true;
    } else if (name == "prefixItems" || (name == "items" && document_.is_array(value))) {
      evaluated.n_items =
          std::max(evaluated.n_items, static_cast<uint32_t>(document_.children(value).size()));
    } else if (name == "items" || name == "unevaluatedItems" ||
               (name == "additionalItems" && document_.find(schema, "items"))) {
      evaluated.all_items = true;
    } else if (name == "contains" && dialect.draft >= Draft::k2020) {
      evaluated.contained.push_back(reader_.schema(value));
    }
  }
}

bool Evaluations::add_schema(JsonId schema, std::string_view except, Branches& branches,
                             int depth) {
  if (!document_.is_object(schema)) return true;
  if (depth > kMostLevels) return false;
  Evaluated own;
  evaluate(schema, own, except);
  for (Branch& branch : branches) branch.evaluated.add(own);
  const auto keywords = document_.children(schema);
  return std::all_of(keywords.begin(), keywords.end(),
                     [&](JsonId value) { return add_keyword(schema, value, branches, depth); });
}

void Evaluations::restrict_to(Branches& branches, FormulaId condition) {
  for (Branch& branch : branches) branch.condition = formulas_.both(branch.condition, condition);
  std::erase_if(branches, [](const Branch& branch) { return branch.condition == kNever; });
}

bool Evaluations::holds(JsonId schema, Branches& branches, int depth) {
  restrict_to(branches, reader_.schema(schema));
  const Reader::Within within(reader_, schema);
  return add_schema(schema, {}, branches, depth + 1);
}

bool Evaluations::choose(std::vector<Branches> ways, Branches& branches) {
  branches.clear();
  for (Branches& way : ways)
    branches.insert(branches.end(), std::make_move_iterator(way.begin()),
                    std::make_move_iterator(way.end()));
  return branches.size() <= kMostBranches;
}

bool Evaluations::add_keyword(JsonId schema, JsonId value, Branches& branches, int depth) {
  const std::string_view name = document_.key(value);
  if (!reader_.dialect(schema).why_none(name).empty()) return true;
  if ((name == "$ref" || name == "$dynamicRef" || name == "$recursiveRef") &&
      document_.is_string(value)) {
    const auto target = reader_.target(schema, value);
    return !target || holds(*target, branches, depth);
  }
  if (name == "allOf" && document_.is_array(value)) {
    const auto parts = document_.children(value);
    return std::all_of(parts.begin(), parts.end(),
                       [&](JsonId part) { return holds(part, branches, depth); });
  }
  if ((name == "anyOf" || name == "oneOf") && document_.is_array(value)) {
    // Each subschema in turn holds or doesn't: the branches in which none has held so far, and
    // those in which some did.
    const bool only_one = name == "oneOf";
    Branches none = branches;
    Branches some;
    for (JsonId part : document_.children(value)) {
      const FormulaId formula = reader_.schema(part);
      Branches first = none;
      Branches again = some;
      if (!holds(part, first, depth)) return false;
      if (!only_one && !holds(part, again, depth)) return false;
      restrict_to(none, formulas_.negate(formula));
      restrict_to(some, formulas_.negate(formula));
      std::vector<Branches> ways{std::move(some), std::move(first)};
      if (!only_one) ways.push_back(std::move(again));
      if (!choose(std::move(ways), some)) return false;
    }
    branches = std::move(some);
    return true;
  }
  if (name == "if") {
    Branches is = branches;
    if (!holds(value, is, depth)) return false;
    restrict_to(branches, formulas_.negate(reader_.schema(value)));
    const auto then = document_.find(schema, "then");
    const auto otherwise = document_.find(schema, "else");
    if (then && !holds(*then, is, depth)) return false;
    if (otherwise && !holds(*otherwise, branches, depth)) return false;
    return choose({std::move(is), Branches(branches)}, branches);
  }
  if (name == "dependentSchemas" || name == "dependencies") {
    for (JsonId dependency : document_.children(value)) {
      if (document_.is_array(dependency)) continue;
      const FormulaId is_there = reader_.has_property(document_.key(dependency), dependency);
      Branches with = branches;
      restrict_to(with, is_there);
      if (!holds(dependency, with, depth)) return false;
      restrict_to(branches, formulas_.negate(is_there));
      if (!choose({std::move(with), Branches(branches)}, branches)) return false;
    }
  }
  return true;
}

}  // namespace xg2lab::json_schema
