// The keywords of a schema's dialect: its draft by `$schema` and, through a metaschema, its
// vocabularies.
//
// Tests: tests/json_schema/test_dialects.py
//
// IDEA
//   Drafts differ in spelling more than in meaning, so a keyword is recognized by its form wherever
//   the form has a single meaning. A schema that names its draft is more specific: keywords
//   introduced later are ignored, siblings of `$ref` are ignored up to draft-07, and 1.0 is not an
//   integer in draft-04. A custom metaschema from the registry lists vocabularies; keywords of
//   other vocabularies are ignored.
//
//   {"$schema": ".../draft/2019-09/schema", "prefixItems": [...]}   prefixItems is ignored
//   {"prefixItems": [...]}                                          prefixItems is a keyword
//
//   Each resource has its own dialect; a resource that names none has the outermost schema's.
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

// ---- Vocabularies, one bit each ----
using Vocabularies = uint8_t;
constexpr Vocabularies kCore = 1u << 0;
constexpr Vocabularies kApplicator = 1u << 1;
constexpr Vocabularies kUnevaluated = 1u << 2;
constexpr Vocabularies kValidation = 1u << 3;
constexpr Vocabularies kMetaData = 1u << 4;
constexpr Vocabularies kContent = 1u << 5;
constexpr Vocabularies kFormat = 1u << 6;           // in any form
constexpr Vocabularies kFormatAssertion = 1u << 7;  // formats are checked
constexpr Vocabularies kUsual = kFormatAssertion - 1;

struct Dialect {
  Draft draft = Draft::k2020;
  Vocabularies vocabularies = kUsual;

  bool is_usual() const { return draft == Draft::k2020 && vocabularies == kUsual; }
  bool ref_overrides() const { return draft <= Draft::k7; }
  // The reason why a keyword is ignored in this dialect; empty if it isn't, or if the standard
  // doesn't define it.
  std::string why_none(std::string_view keyword) const;
};

class Dialects {
 public:
  // Reports unknown vocabularies that are required.
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
