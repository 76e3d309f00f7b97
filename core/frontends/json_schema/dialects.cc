// why_none looks keywords up in one table. read: the draft by its name, then the vocabularies of a
// metaschema from the registry.
#include "frontends/json_schema/dialects.h"

#include <algorithm>
#include <array>
#include <utility>

#include "support/text.h"

namespace xg2lab::json_schema {
namespace {

struct Row {
  std::string_view keyword;
  Draft first;
  Vocabularies vocabulary;
};

// For each keyword that constrains values; draft-04's keywords need only their vocabulary.
constexpr std::array<Row, 41> kRows{{
    {"$dynamicRef", Draft::k2020, kCore},
    {"additionalItems", Draft::k4, kApplicator},
    {"additionalProperties", Draft::k4, kApplicator},
    {"allOf", Draft::k4, kApplicator},
    {"anyOf", Draft::k4, kApplicator},
    {"const", Draft::k6, kValidation},
    {"contains", Draft::k6, kApplicator},
    {"dependencies", Draft::k4, kApplicator},
    {"dependentRequired", Draft::k2019, kValidation},
    {"dependentSchemas", Draft::k2019, kApplicator},
    {"else", Draft::k7, kApplicator},
    {"enum", Draft::k4, kValidation},
    {"exclusiveMaximum", Draft::k4, kValidation},
    {"exclusiveMinimum", Draft::k4, kValidation},
    {"format", Draft::k4, kFormat},
    {"if", Draft::k7, kApplicator},
    {"items", Draft::k4, kApplicator},
    {"maxContains", Draft::k2019, kValidation},
    {"maxItems", Draft::k4, kValidation},
    {"maxLength", Draft::k4, kValidation},
    {"maxProperties", Draft::k4, kValidation},
    {"maximum", Draft::k4, kValidation},
    {"minContains", Draft::k2019, kValidation},
    {"minItems", Draft::k4, kValidation},
    {"minLength", Draft::k4, kValidation},
    {"minProperties", Draft::k4, kValidation},
    {"minimum", Draft::k4, kValidation},
    {"multipleOf", Draft::k4, kValidation},
    {"not", Draft::k4, kApplicator},
    {"oneOf", Draft::k4, kApplicator},
    {"pattern", Draft::k4, kValidation},
    {"patternProperties", Draft::k4, kApplicator},
    {"prefixItems", Draft::k2020, kApplicator},
    {"properties", Draft::k4, kApplicator},
    {"propertyNames", Draft::k6, kApplicator},
    {"required", Draft::k4, kValidation},
    {"then", Draft::k7, kApplicator},
    {"type", Draft::k4, kValidation},
    {"unevaluatedItems", Draft::k2019, kUnevaluated},
    {"unevaluatedProperties", Draft::k2019, kUnevaluated},
    {"uniqueItems", Draft::k4, kValidation},
}};
static_assert(std::is_sorted(kRows.begin(), kRows.end(),
                             [](const Row& a, const Row& b) { return a.keyword < b.keyword; }));

constexpr std::array<std::pair<std::string_view, Draft>, 8> kDrafts{{
    {"draft-03", Draft::k4},
    {"draft-04", Draft::k4},
    {"draft-05", Draft::k4},
    {"draft-06", Draft::k6},
    {"draft-07", Draft::k7},
    {"2019-09", Draft::k2019},
    {"2020-12", Draft::k2020},
    {"", Draft::k2020},  // any other
}};

constexpr std::array<std::string_view, 5> kDraftNames{"draft-04", "draft-06", "draft-07", "2019-09",
                                                      "2020-12"};

Draft draft_of(std::string_view uri) {
  return std::find_if(
             kDrafts.begin(), kDrafts.end(),
             [&](const auto& row) { return uri.find(row.first) != std::string_view::npos; })
      ->second;
}

constexpr std::string_view kStandard = "https://json-schema.org/draft/";

// No bit: not a vocabulary of the standard.
Vocabularies vocabulary_of(std::string_view uri, bool is_required) {
  constexpr std::string_view kBeforeName = "/vocab/";
  const size_t at = uri.rfind(kBeforeName);
  if (!uri.starts_with(kStandard) || at == std::string_view::npos) return 0;
  const std::string_view name = uri.substr(at + kBeforeName.size());
  const bool is_2019 = draft_of(uri) == Draft::k2019;
  if (name == "core") return kCore;
  if (name == "applicator") return is_2019 ? kApplicator | kUnevaluated : kApplicator;
  if (name == "unevaluated") return kUnevaluated;
  if (name == "validation") return kValidation;
  if (name == "meta-data") return kMetaData;
  if (name == "content") return kContent;
  if (name == "format") return is_required ? kFormat | kFormatAssertion : kFormat;
  if (name == "format-annotation") return kFormat;
  if (name == "format-assertion") return kFormat | kFormatAssertion;
  return 0;
}

}  // namespace

std::string Dialect::why_none(std::string_view keyword) const {
  const auto* const row =
      std::lower_bound(kRows.begin(), kRows.end(), keyword,
                       [](const Row& r, std::string_view name) { return r.keyword < name; });
  if (row == kRows.end() || row->keyword != keyword) return {};
  if (row->first > draft)
    return concat("not a keyword of ", kDraftNames[static_cast<size_t>(draft)],
                  ", which `$schema` names");
  if ((row->vocabulary & vocabularies) == 0) return "in no vocabulary that `$schema` names";
  return {};
}

Dialects::Dialects(const JsonDocument& document, const References& references, Coverage& coverage)
    : document_(document), references_(references), coverage_(coverage) {
  const auto& named = references.dialects();
  if (const auto root = named.find(document.root()); root != named.end())
    outermost_ = read(root->second);
  for (const auto& [resource, value] : named) {
    if (resource != document.root()) others_.emplace(resource, read(value));
  }
}

Dialect Dialects::read(JsonId named) const {
  const std::string_view uri = document_.text(named);
  Dialect dialect;
  dialect.draft = draft_of(uri);
  const auto metaschema = references_.resolve(document_.root(), uri);
  if (!metaschema || !document_.is_object(*metaschema)) return dialect;
  const auto list = document_.find(*metaschema, "$vocabulary");
  if (!list || !document_.is_object(*list)) return dialect;
  dialect.vocabularies = kCore;
  for (JsonId one : document_.children(*list)) {
    const bool is_required = document_.kind(one) == JsonKind::kTrue;
    const std::string_view name = document_.key(one);
    const Vocabularies bits = vocabulary_of(name, is_required);
    dialect.vocabularies |= bits;
    if (bits == 0 && is_required) {
      coverage_.refuse(named, "unsupported_vocabulary",
                       concat("`$schema` requires the unknown vocabulary `", name, "`"),
                       "if it is optional, set it to false in the metaschema's `$vocabulary`");
    }
    if (bits != 0 && name.starts_with(kStandard)) dialect.draft = draft_of(name);
  }
  return dialect;
}

const Dialect& Dialects::of(JsonId schema) const {
  if (others_.empty()) return outermost_;
  for (std::optional<JsonId> at = schema; at;) {
    const JsonId resource = references_.resource(*at);
    if (const auto found = others_.find(resource); found != others_.end()) return found->second;
    at = document_.parent(resource);
  }
  return outermost_;
}

}  // namespace xg2lab::json_schema
