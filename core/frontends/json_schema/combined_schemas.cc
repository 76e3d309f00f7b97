// Parts of class Reader: combined schemas, references to other schemas, and unevaluated properties
// and items.
#include <utility>

#include "frontends/json_schema/evaluated.h"
#include "frontends/json_schema/reader.h"
#include "support/text.h"

namespace xg2lab::json_schema {

void Reader::all_of(JsonId, JsonId value, Parts& parts) {
  coverage_.enforced(value);
  const Parts all = schemas(value);
  parts.insert(parts.end(), all.begin(), all.end());
}

void Reader::any_of(JsonId, JsonId value, Parts& parts) {
  coverage_.enforced(value);
  parts.push_back(formulas_.any_of(schemas(value)));
}

void Reader::one_of(JsonId, JsonId value, Parts& parts) {
  coverage_.enforced(value);
  parts.push_back(formulas_.one_of(schemas(value)));
}

void Reader::negation(JsonId, JsonId value, Parts& parts) {
  coverage_.enforced(value);
  parts.push_back(formulas_.negate(schema(value)));
}

void Reader::condition(JsonId schema, JsonId value, Parts& parts) {
  const auto branch = [&](const char* name) {
    const auto found = document_.find(schema, name);
    return found ? this->schema(*found) : kAlways;
  };
  const FormulaId is = this->schema(value);
  const FormulaId then = branch("then");
  const FormulaId otherwise = branch("else");
  coverage_.enforced(value);
  parts.push_back(formulas_.any_of(
      {formulas_.both(is, then), formulas_.both(formulas_.negate(is), otherwise)}));
}

void Reader::consequence(JsonId schema, JsonId value, Parts&) {
  if (document_.find(schema, "if")) coverage_.enforced(value);
  else coverage_.annotation(value, "has an effect only beside `if`");
}

std::optional<JsonId> Reader::target(JsonId schema, JsonId reference) const {
  const std::string_view name = document_.key(reference);
  const std::string_view words = document_.text(reference);
  if (name == "$ref") return references_.resolve(schema, words);
  return references_.resolve_dynamic(scope_, schema, words, name == "$recursiveRef");
}

void Reader::reference(JsonId schema, JsonId value, Parts& parts) {
  if (!expect(document_.is_string(value), value, "a reference must be a string")) return;
  const auto found = target(schema, value);
  if (!found) {
    const std::string_view words = document_.text(value);
    coverage_.mistake(value, "undefined_reference", concat("`", words, "` leads nowhere"),
                      words.starts_with('#')
                          ? "look at the path: does each of its parts exist?"
                          : "give the document by its URI: registry={\"" +
                                resolve_uri(references_.base_uri(schema), words) + "\": {...}}");
    parts.push_back(kUnknown);
    return;
  }
  coverage_.enforced(value);
  parts.push_back(this->schema(*found));
}

FormulaId Reader::has_property(std::string_view name, JsonId origin) {
  return formulas_.both(is_object(origin), presence(name, origin));
}

void Reader::unevaluated(JsonId schema, JsonId value, Parts& parts) {
  const FormulaId rest = this->schema(value);
  coverage_.enforced(value);
  if (rest == kAlways) return;
  const std::string_view name = document_.key(value);
  const auto branches = Evaluations(document_, formulas_, conditions_, *this).of(schema, name);
  if (!branches) {
    coverage_.refuse(value, "unsupported_unevaluated",
                     "the evaluated properties or items depend on too many other schemas",
                     "use additionalProperties or items where all properties or items are known");
    return parts.push_back(kUnknown);
  }
  Parts ways;
  for (const Branch& branch : *branches) {
    const Evaluated& evaluated = branch.evaluated;
    FormulaId others = kAlways;
    if (name == "unevaluatedProperties" && !evaluated.all_properties) {
      NameFilter filter;
      filter.except_names.assign(evaluated.names.begin(), evaluated.names.end());
      filter.except_patterns.assign(evaluated.patterns.begin(), evaluated.patterns.end());
      others = formulas_.atom(OthersAtom{std::move(filter), rest}, value);
    } else if (name == "unevaluatedItems" && !evaluated.all_items) {
      Parts either = evaluated.contained;
      either.push_back(rest);
      others = formulas_.atom(
          ItemAtom{evaluated.n_items, kUnbounded, formulas_.any_of(std::move(either))}, value);
    }
    ways.push_back(formulas_.both(branch.condition, others));
  }
  parts.push_back(formulas_.any_of(std::move(ways)));
}

}  // namespace xg2lab::json_schema
