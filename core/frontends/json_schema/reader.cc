// content() visits a schema's keywords; keyword_rows is the table; below, the keywords in the order
// of the standard. Keywords that combine schemas are in combined_schemas.cc.
#include "frontends/json_schema/reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "languages/formats/formats.h"
#include "languages/numbers/number_words.h"
#include "support/suggest.h"
#include "support/text.h"

namespace xg2lab::json_schema {
namespace {

// Keywords that restrict nothing.
constexpr std::array<std::string_view, 21> kAnnotations{"title",
                                                        "description",
                                                        "default",
                                                        "example",
                                                        "examples",
                                                        "$comment",
                                                        "readOnly",
                                                        "writeOnly",
                                                        "deprecated",
                                                        "$schema",
                                                        "$id",
                                                        "id",
                                                        "$defs",
                                                        "definitions",
                                                        "$anchor",
                                                        "$dynamicAnchor",
                                                        "$recursiveAnchor",
                                                        "$vocabulary",
                                                        "contentEncoding",
                                                        "contentMediaType",
                                                        "contentSchema"};

constexpr std::array<std::pair<std::string_view, TypeSet>, 7> kTypeNames{{
    {"null", bit_of(JsonType::kNull)},
    {"boolean", bit_of(JsonType::kBoolean)},
    {"number", bit_of(JsonType::kNumber)},
    {"integer", bit_of(JsonType::kNumber)},
    {"string", bit_of(JsonType::kString)},
    {"array", bit_of(JsonType::kArray)},
    {"object", bit_of(JsonType::kObject)},
}};

}  // namespace

Reader::Reader(const JsonDocument& document, References& references, Formulas& formulas,
               Conditions& conditions, Coverage& coverage, Slots& slots, bool checks_formats,
               bool plain_numbers)
    : document_(document),
      references_(references),
      formulas_(formulas),
      conditions_(conditions),
      coverage_(coverage),
      slots_(slots),
      checks_formats_(checks_formats),
      plain_numbers_(plain_numbers),
      dialects_(document, references, coverage),
      contents_(document.n_values()) {}

FormulaId Reader::schema(JsonId value) {
  if (document_.kind(value) == JsonKind::kTrue) return kAlways;
  if (document_.kind(value) == JsonKind::kFalse) return kNever;
  if (!expect(document_.is_object(value), value, "a schema must be an object, true or false"))
    return kUnknown;
  if (document_.children(value).empty()) return kAlways;
  return formulas_.schema(value, references_.enter(scope_, value));
}

FormulaId Reader::content(JsonId schema, ScopeId scope) {
  if (const FormulaId* const known = known_content(schema, scope)) return *known;
  const Within within(*this, scope);
  Parts parts;
  parts.reserve(document_.children(schema).size());
  const Dialect& dialect = dialects_.of(schema);
  const auto ref = dialect.ref_overrides() ? document_.find(schema, "$ref") : std::nullopt;
  const bool only_ref = ref && document_.is_string(*ref);
  for (JsonId value : document_.children(schema)) {
    const std::string_view name = document_.key(value);
    const Keyword keyword = find_keyword(name);
    if (keyword == nullptr) {
      coverage_.annotation(value, "not a keyword of the standard");
    } else if (only_ref && keyword != &Reader::reference && keyword != &Reader::annotation) {
      coverage_.annotation(value, "up to draft-07, keywords beside $ref have no effect");
    } else if (std::string why; !dialect.is_usual() && !(why = dialect.why_none(name)).empty()) {
      coverage_.annotation(value, why);
    } else if (slots_.is_slot(value) && !slots_.is_well_placed(value)) {
      slots_.misplaced(value);
    } else {
      (this->*keyword)(schema, value, parts);
    }
  }
  const auto of_slot = slot_formula(schema, parts);
  const FormulaId content = of_slot ? *of_slot : formulas_.all_of(std::move(parts));
  if (scope == References::kOutside) contents_[schema.index()] = content;
  else scoped_contents_.emplace(std::pair(schema, scope), content);
  return content;
}

const FormulaId* Reader::known_content(JsonId schema, ScopeId scope) const {
  if (scope == References::kOutside) {
    const auto& known = contents_[schema.index()];
    return known ? &*known : nullptr;
  }
  const auto known = scoped_contents_.find({schema, scope});
  return known == scoped_contents_.end() ? nullptr : &known->second;
}

// Reader::find_keyword looks a name up in these rows, sorted by name.
const std::vector<Reader::KeywordRow>& Reader::keyword_rows() {
  static const std::vector<KeywordRow> rows = [] {
    std::vector<KeywordRow> table{
        {"type", &Reader::type},
        {"enum", &Reader::enumeration},
        {"const", &Reader::constant},
        {"minimum", &Reader::bound},
        {"maximum", &Reader::bound},
        {"exclusiveMinimum", &Reader::bound},
        {"exclusiveMaximum", &Reader::bound},
        {"multipleOf", &Reader::multiple_of},
        {"minLength", &Reader::length},
        {"maxLength", &Reader::length},
        {"pattern", &Reader::pattern},
        {"format", &Reader::format},
        {"items", &Reader::items},
        {"prefixItems", &Reader::prefix_items},
        {"additionalItems", &Reader::additional_items},
        {"unevaluatedItems", &Reader::unevaluated},
        {"minItems", &Reader::size},
        {"maxItems", &Reader::size},
        {"contains", &Reader::contains},
        {"minContains", &Reader::contains_bound},
        {"maxContains", &Reader::contains_bound},
        {"uniqueItems", &Reader::unique_items},
        {"properties", &Reader::properties},
        {"patternProperties", &Reader::pattern_properties},
        {"additionalProperties", &Reader::additional_properties},
        {"unevaluatedProperties", &Reader::unevaluated},
        {"required", &Reader::required},
        {"propertyNames", &Reader::property_names},
        {"minProperties", &Reader::count},
        {"maxProperties", &Reader::count},
        {"dependentRequired", &Reader::dependencies},
        {"dependentSchemas", &Reader::dependencies},
        {"dependencies", &Reader::dependencies},
        {"allOf", &Reader::all_of},
        {"anyOf", &Reader::any_of},
        {"oneOf", &Reader::one_of},
        {"not", &Reader::negation},
        {"if", &Reader::condition},
        {"then", &Reader::consequence},
        {"else", &Reader::consequence},
        {"$ref", &Reader::reference},
        {"$dynamicRef", &Reader::reference},
        {"$recursiveRef", &Reader::reference},
    };
    for (std::string_view name : kAnnotations) table.emplace_back(name, &Reader::annotation);
    std::ranges::sort(table, {}, &KeywordRow::first);
    return table;
  }();
  return rows;
}

Reader::Keyword Reader::find_keyword(std::string_view name) {
  const std::vector<KeywordRow>& rows = keyword_rows();
  const auto found = std::ranges::lower_bound(rows, name, {}, &KeywordRow::first);
  return found != rows.end() && found->first == name ? found->second : nullptr;
}

// The value of a sibling keyword, if it is a keyword in this dialect.
std::optional<JsonId> Reader::sibling(JsonId schema, std::string_view name) const {
  const auto found = document_.find(schema, name);
  return found && dialects_.of(schema).why_none(name).empty() ? found : std::nullopt;
}

// ---- Reading values ----

bool Reader::expect(bool is_well, JsonId value, const char* what) {
  if (!is_well)
    coverage_.mistake(value, "invalid_schema", what,
                      "see the keyword's definition in the standard");
  return is_well;
}

std::optional<Decimal> Reader::number_value(JsonId value) {
  if (!expect(document_.is_number(value), value, "this keyword's value must be a number"))
    return std::nullopt;
  const auto number = Decimal::read(document_.text(value));
  expect(number.has_value(), value, "this number is too large or too small");
  return number;
}

std::optional<uint32_t> Reader::size_value(JsonId value) {
  const auto number = number_value(value);
  if (!number) return std::nullopt;
  if (!expect(number->is_integer() && !number->is_negative(), value,
              "this keyword's value must be an integer from 0 on"))
    return std::nullopt;
  if (number->exponent() >= 9) return static_cast<uint32_t>(INT32_MAX);  // no text is that long
  uint32_t size = 0;
  for (int64_t power = number->exponent(); power >= 0; --power)
    size = 10 * size + static_cast<uint32_t>(number->digit_at(power));
  return size;
}

std::vector<FormulaId> Reader::schemas(JsonId value) {
  Parts parts;
  if (!expect(document_.is_array(value) && !document_.children(value).empty(), value,
              "this keyword's value must be a list of schemas, and not be empty"))
    return parts;
  for (JsonId item : document_.children(value)) parts.push_back(schema(item));
  return parts;
}

FormulaId Reader::presence(std::string_view name, JsonId origin) {
  return formulas_.atom(PresenceAtom{name}, origin);
}

FormulaId Reader::is_object(JsonId origin) {
  return formulas_.atom(TypeAtom{bit_of(JsonType::kObject), false}, origin);
}

// ---- Any type ----

void Reader::annotation(JsonId, JsonId value, Parts&) { coverage_.annotation(value); }

void Reader::type(JsonId schema, JsonId value, Parts& parts) {
  std::vector<JsonId> names;
  if (document_.is_array(value)) {
    names.assign(document_.children(value).begin(), document_.children(value).end());
  } else {
    names.push_back(value);
  }
  TypeAtom atom{0, false};
  bool has_number = false;
  bool has_integer = false;
  for (JsonId name : names) {
    if (!expect(document_.is_string(name), name, "a type must be a string")) return;
    const std::string_view text = document_.text(name);
    const auto* const row = std::find_if(kTypeNames.begin(), kTypeNames.end(),
                                         [&](const auto& r) { return r.first == text; });
    if (row == kTypeNames.end()) {
      std::vector<std::string_view> known;
      for (const auto& r : kTypeNames) known.push_back(r.first);
      const auto near = closest_name(text, known);
      coverage_.mistake(
          name, "unknown_type", concat("there is no type `", text, "`"),
          near ? "did you mean `" + *near + "`?"
               : "the types are null, boolean, number, integer, string, array, object");
      return;
    }
    atom.types |= row->second;
    has_number |= text == "number";
    has_integer |= text == "integer";
  }
  atom.only_integers = has_integer && !has_number;
  atom.plain_integers =
      atom.only_integers && (plain_numbers_ || dialects_.of(schema).draft == Draft::k4);
  coverage_.enforced(value, plain_numbers_ && (has_number || has_integer)
                                ? words_of_plain_numbers(atom.only_integers)
                                : "");
  parts.push_back(formulas_.atom(atom, value));
}

FormulaId Reader::value_atom(std::vector<JsonId> values, JsonId origin) {
  for (JsonId value : values) {
    if (document_.is_number(value) && !number_value(value)) return kUnknown;
  }
  return formulas_.atom(ValueAtom{std::move(values)}, origin);
}

std::optional<FormulaId> Reader::slot_formula(JsonId schema, const Parts& parts) {
  if (!slots_.is_any()) return std::nullopt;
  std::optional<SlotAtom> slot;
  TypeSet types = kAllTypes;
  for (FormulaId part : parts) {
    const Formula& formula = formulas_.formula(part);
    if (formula.kind != FormulaKind::kAtom) continue;
    const AtomContent& content = formulas_.atom(formula.index).content;
    if (const auto* const of = std::get_if<SlotAtom>(&content); of != nullptr && !slot) slot = *of;
    if (const auto* const of = std::get_if<TypeAtom>(&content)) types = of->types;
  }
  if (!slot) return std::nullopt;
  const Dialect& dialect = dialects_.of(schema);
  for (JsonId value : document_.children(schema)) {
    const std::string_view name = document_.key(value);
    const Keyword keyword = find_keyword(name);
    const bool says_nothing =
        keyword == nullptr || keyword == &Reader::annotation || !dialect.why_none(name).empty();
    if (says_nothing || value == slot->slot) continue;
    if (may_stand_beside_slot(name)) slot->beside.push_back(value);
    else slots_.refuse_beside(value, slot->slot);
  }
  slot->types = types;
  const JsonId origin = slot->slot;
  return formulas_.atom(*std::move(slot), origin);
}

void Reader::enumeration(JsonId, JsonId value, Parts& parts) {
  if (slots_.is_slot(value)) {
    coverage_.enforced(value);
    return parts.push_back(formulas_.atom(SlotAtom{value, kAllTypes, {}}, value));
  }
  if (!expect(document_.is_array(value), value, "`enum` must be a list of values")) return;
  const auto items = document_.children(value);
  coverage_.enforced(value);
  parts.push_back(value_atom({items.begin(), items.end()}, value));
}

void Reader::constant(JsonId schema, JsonId value, Parts& parts) {
  if (slots_.is_slot(value)) return enumeration(schema, value, parts);
  coverage_.enforced(value);
  parts.push_back(value_atom({value}, value));
}

// ---- Numbers ----

void Reader::bound(JsonId schema, JsonId value, Parts& parts) {
  const std::string_view name = document_.key(value);
  const bool is_min = name.ends_with("inimum");
  const bool is_exclusive = name.starts_with("exclusive");
  if (is_exclusive && document_.is_boolean(value)) {  // draft-04: a modifier of its sibling
    coverage_.enforced(value);
    return;
  }
  const auto number = number_value(value);
  if (!number) return;
  NumberConstraint constraint;
  const auto sibling = document_.find(schema, is_min ? "exclusiveMinimum" : "exclusiveMaximum");
  const bool excludes = is_exclusive || (sibling && document_.kind(*sibling) == JsonKind::kTrue);
  (is_min ? constraint.min : constraint.max) = number;
  (is_min ? constraint.exclusive_min : constraint.exclusive_max) = excludes;
  number_keyword(schema, value);
  parts.push_back(formulas_.atom(
      NumberAtom{std::make_shared<const NumberConstraint>(std::move(constraint))}, value));
}

// Remarks about excluded spellings of numbers are attached to `type`, or to this keyword if there
// is no `type`.
void Reader::number_keyword(JsonId schema, JsonId value) {
  const bool is_said = !plain_numbers_ || document_.find(schema, "type");
  coverage_.enforced(value, is_said ? "" : words_of_plain_numbers(false));
}

void Reader::multiple_of(JsonId schema, JsonId value, Parts& parts) {
  const auto number = number_value(value);
  if (!number) return;
  if (!expect(!number->is_zero() && !number->is_negative(), value,
              "`multipleOf` must be above zero"))
    return;
  NumberConstraint constraint;
  constraint.multiples_of.push_back(*number);
  number_keyword(schema, value);
  parts.push_back(formulas_.atom(
      NumberAtom{std::make_shared<const NumberConstraint>(std::move(constraint))}, value));
}

// ---- Strings ----

void Reader::length(JsonId, JsonId value, Parts& parts) {
  const auto size = size_value(value);
  if (!size) return;
  LengthAtom atom;
  (document_.key(value) == "minLength" ? atom.min : atom.max) = *size;
  coverage_.enforced(value);
  parts.push_back(formulas_.atom(atom, value));
}

void Reader::pattern(JsonId, JsonId value, Parts& parts) {
  if (!expect(document_.is_string(value), value, "a pattern must be a string")) return;
  coverage_.enforced(value);
  parts.push_back(formulas_.atom(
      TextAtom{conditions_.add(ConditionKind::kPattern, document_.text(value), value)}, value));
}

void Reader::format(JsonId schema, JsonId value, Parts& parts) {
  if (!expect(document_.is_string(value), value, "a format must be a string")) return;
  const std::string_view name = document_.text(value);
  const FormatKind kind = format_kind(name);
  const bool is_checked =
      checks_formats_ || (dialects_.of(schema).vocabularies & kFormatAssertion) != 0;
  if (kind != FormatKind::kUnknown && !is_checked)
    return coverage_.annotation(value, "formats are not checked: check_formats is False");
  switch (kind) {
    case FormatKind::kUnknown: coverage_.annotation(value, "not a format of the standard"); return;
    case FormatKind::kNotRegular:
      coverage_.refuse(
          value, "unsupported_format",
          concat("the format `", name, "` can't be checked by a finite machine"),
          "leave it out, use a pattern instead, or pass check_formats=False, which makes formats "
          "annotations");
      parts.push_back(kUnknown);
      return;
    case FormatKind::kRegular: break;
  }
  coverage_.enforced(value, format_left_out(name));
  parts.push_back(
      formulas_.atom(TextAtom{conditions_.add(ConditionKind::kFormat, name, value)}, value));
}

// ---- Arrays ----

void Reader::items(JsonId schema, JsonId value, Parts& parts) {
  if (document_.is_array(value)) return prefix_items(schema, value, parts);
  const auto prefix = sibling(schema, "prefixItems");
  const auto from = prefix && document_.is_array(*prefix)
                        ? static_cast<uint32_t>(document_.children(*prefix).size())
                        : 0u;
  coverage_.enforced(value);
  parts.push_back(formulas_.atom(ItemAtom{from, kUnbounded, this->schema(value)}, value));
}

void Reader::prefix_items(JsonId, JsonId value, Parts& parts) {
  if (!expect(document_.is_array(value), value, "this keyword's value must be a list of schemas"))
    return;
  coverage_.enforced(value);
  uint32_t at = 0;
  for (JsonId item : document_.children(value)) {
    parts.push_back(formulas_.atom(ItemAtom{at, at + 1, schema(item)}, item));
    ++at;
  }
}

void Reader::additional_items(JsonId schema, JsonId value, Parts& parts) {
  const auto items = document_.find(schema, "items");
  if (!items || !document_.is_array(*items) || sibling(schema, "prefixItems"))
    return coverage_.annotation(value, "has an effect only beside a list of `items`");
  const auto from = static_cast<uint32_t>(document_.children(*items).size());
  coverage_.enforced(value);
  parts.push_back(formulas_.atom(ItemAtom{from, kUnbounded, this->schema(value)}, value));
}

void Reader::size(JsonId, JsonId value, Parts& parts) {
  SizeAtom atom;
  const bool is_min = document_.key(value) == "minItems";
  if (slots_.is_slot(value)) {
    (is_min ? atom.min_slot : atom.max_slot) = value;
  } else {
    const auto size = size_value(value);
    if (!size) return;
    (is_min ? atom.min : atom.max) = *size;
  }
  coverage_.enforced(value);
  parts.push_back(formulas_.atom(atom, value));
}

void Reader::contains(JsonId schema, JsonId value, Parts& parts) {
  ContainsAtom atom{this->schema(value)};
  if (const auto min = sibling(schema, "minContains")) atom.min = size_value(*min).value_or(1);
  if (const auto max = sibling(schema, "maxContains"))
    atom.max = size_value(*max).value_or(kUnbounded);
  coverage_.enforced(value);
  parts.push_back(formulas_.atom(atom, value));
}

void Reader::contains_bound(JsonId schema, JsonId value, Parts&) {
  if (document_.find(schema, "contains")) coverage_.enforced(value);
  else coverage_.annotation(value, "has an effect only beside `contains`");
}

void Reader::unique_items(JsonId, JsonId value, Parts& parts) {
  if (!expect(document_.is_boolean(value), value, "`uniqueItems` must be true or false")) return;
  coverage_.enforced(value);
  if (document_.kind(value) == JsonKind::kTrue)
    parts.push_back(formulas_.atom(UniqueAtom{}, value));
}

// ---- Objects ----

void Reader::properties(JsonId, JsonId value, Parts& parts) {
  if (!expect(document_.is_object(value), value, "`properties` must be an object of schemas"))
    return;
  coverage_.enforced(value);
  for (JsonId property : document_.children(value))
    parts.push_back(
        formulas_.atom(PropertyAtom{document_.key(property), schema(property)}, property));
}

void Reader::pattern_properties(JsonId, JsonId value, Parts& parts) {
  if (!expect(document_.is_object(value), value,
              "`patternProperties` must be an object of schemas"))
    return;
  coverage_.enforced(value);
  for (JsonId property : document_.children(value)) {
    NameFilter filter;
    filter.pattern = conditions_.add(ConditionKind::kPattern, document_.key(property), property);
    parts.push_back(formulas_.atom(OthersAtom{std::move(filter), schema(property)}, property));
  }
}

NameFilter Reader::other_names(JsonId schema) {
  NameFilter filter;
  if (const auto properties = document_.find(schema, "properties");
      properties && document_.is_object(*properties)) {
    for (JsonId property : document_.children(*properties))
      filter.except_names.push_back(document_.key(property));
  }
  if (const auto patterns = document_.find(schema, "patternProperties");
      patterns && document_.is_object(*patterns)) {
    for (JsonId pattern : document_.children(*patterns))
      filter.except_patterns.push_back(
          conditions_.add(ConditionKind::kPattern, document_.key(pattern), pattern));
  }
  std::sort(filter.except_names.begin(), filter.except_names.end());
  std::sort(filter.except_patterns.begin(), filter.except_patterns.end());
  return filter;
}

void Reader::additional_properties(JsonId schema, JsonId value, Parts& parts) {
  coverage_.enforced(value);
  parts.push_back(formulas_.atom(OthersAtom{other_names(schema), this->schema(value)}, value));
}

void Reader::required(JsonId, JsonId value, Parts& parts) {
  if (document_.is_boolean(value))
    return coverage_.mistake(
        value, "invalid_schema", "`required` must be a list of names",
        "a Boolean `required` is of draft-03; list the required names in the object's schema");
  if (!expect(document_.is_array(value), value, "`required` must be a list of names")) return;
  coverage_.enforced(value);
  for (JsonId name : document_.children(value)) {
    if (!expect(document_.is_string(name), name, "a property's name must be a string")) return;
    parts.push_back(presence(document_.text(name), name));
  }
}

void Reader::property_names(JsonId, JsonId value, Parts& parts) {
  coverage_.enforced(value);
  parts.push_back(formulas_.atom(NamesAtom{schema(value)}, value));
}

void Reader::count(JsonId, JsonId value, Parts& parts) {
  const auto size = size_value(value);
  if (!size) return;
  CountAtom atom;
  (document_.key(value) == "minProperties" ? atom.min : atom.max) = *size;
  coverage_.enforced(value);
  parts.push_back(formulas_.atom(atom, value));
}

void Reader::dependencies(JsonId, JsonId value, Parts& parts) {
  if (!expect(document_.is_object(value), value, "this keyword's value must be an object")) return;
  coverage_.enforced(value);
  for (JsonId dependency : document_.children(value)) {
    const std::string_view name = document_.key(dependency);
    FormulaId then = kAlways;
    if (document_.is_array(dependency)) {
      Parts names;
      for (JsonId other : document_.children(dependency)) {
        if (!expect(document_.is_string(other), other, "a property's name must be a string"))
          return;
        names.push_back(presence(document_.text(other), other));
      }
      then = formulas_.all_of(std::move(names));
    } else if (document_.is_string(dependency)) {  // draft-03, and harmless
      then = presence(document_.text(dependency), dependency);
    } else {
      then = schema(dependency);
    }
    const FormulaId is_there = formulas_.both(is_object(dependency), presence(name, dependency));
    parts.push_back(formulas_.any_of({formulas_.negate(is_there), then}));
  }
}

}  // namespace xg2lab::json_schema
