// Which keywords there are: what `$schema` says of the draft and, by way of a metaschema, of the vocabularies.
//
// Tests: tests/json_schema/test_dialects.py
//
// IDEA
//   Drafts differ in spelling more than in meaning, so a keyword is read by its form wherever one form has one meaning. A schema that
//   names its draft says more: keywords that came later are none in it, siblings of `$ref` say nothing up to draft-07, 1.0 is
//   no integer in draft-04. A metaschema of one's own, out of the registry, lists vocabularies: keywords of others are none.
//
//   {"$schema": ".../draft/2019-09/schema", "prefixItems": [...]}   prefixItems is no keyword
//   {"prefixItems": [...]}                                          it is one
//
//   Each resource has a dialect of its own. One that names none has that of the outermost schema.
//
// SEE ALSO  JSON Schema 2020-12, core sections 8.1 and 9.3.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "frontends/json_schema/coverage.h"
#include "frontends/json_schema/references.h"
#include "support/json_value.h"

namespace xg2lab::json_schema {

enum class Draft : uint8_t { k4, k6, k7, k2019, k2020 };

// ---- Vocabularies, a bit each ----
using Vocabularies = uint8_t;
constexpr Vocabularies kCore = 1u << 0;
constexpr Vocabularies kApplicator = 1u << 1;
constexpr Vocabularies kUnevaluated = 1u << 2;
constexpr Vocabularies kValidation = 1u << 3;
constexpr Vocabularies kMetaData = 1u << 4;
constexpr Vocabularies kContent = 1u << 5;
constexpr Vocabularies kFormat = 1u << 6;           // whatever it says of checking
constexpr Vocabularies kFormatAssertion = 1u << 7;  // it says that formats are checked
constexpr Vocabularies kUsual = kFormatAssertion - 1;

struct Dialect {
  Draft draft = Draft::k2020;
  Vocabularies vocabularies = kUsual;

  bool is_usual() const { return draft == Draft::k2020 && vocabularies == kUsual; }
  bool ref_overrides() const { return draft <= Draft::k7; }
  // Why a keyword is none here; empty: it is one, or none of the standard's.
  std::string why_none(std::string_view keyword) const;
};

class Dialects {
 public:
  // Reports vocabularies that are asked for and not known.
  Dialects(const JsonDocument& document, const References& references, Coverage& coverage);

  const Dialect& of(JsonId schema) const;

 private:
  Dialect read(JsonId named) const;

  const JsonDocument& document_;
  const References& references_;
  Coverage& coverage_;
  Dialect outermost_;
  std::map<JsonId, Dialect> others_;  // by resource
};

}  // namespace xg2lab::json_schema
