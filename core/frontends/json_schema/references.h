// $ref: from the words of a reference to the schema that it means.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   Each document, and each schema with an `$id`, is a resource with a URI. A reference is
//   resolved against the URI of the resource that it stands in (RFC 3986, section 5.2): what comes
//   before '#' names a resource, what comes behind a pointer into it or an anchor. Nothing is
//   fetched: resources are those in the documents that were given. A pointer alone, `#/...`, that
//   leads nowhere in its resource is taken from the document's root: schemas in the wild have an
//   `id` that is no URI.
//
//   A $dynamicRef to a $dynamicAnchor means the anchor of that name in the outermost resource on the way here that has one. So
//   what a schema says depends on the way, as far as that: a *scope* holds, for each name that several resources have, the first
//   anchor that was passed. There are finitely many, and most schemas need one.
//
//   {$id: strings, $ref: list, $defs: {$dynamicAnchor: item, type: string}}     list's {$dynamicRef: #item}: strings here,
//   {$id: numbers, $ref: list, $defs: {$dynamicAnchor: item, type: number}}     numbers here
//
// SEE ALSO  JSON Schema 2020-12, core sections 8.2 and 9.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/ids.h"
#include "support/json_value.h"

namespace xg2lab::json_schema {

using ScopeId = Id<struct ScopeTag>;

// RFC 3986, section 5.2, without the fragment of `base`.
std::string resolve_uri(std::string_view base, std::string_view reference);

class References {
 public:
  // `uris`: of the documents' roots; "" for a root without.
  References(const JsonDocument& document, const std::vector<std::string>& uris);

  std::optional<JsonId> resolve(JsonId at, std::string_view reference) const;
  // The URI against which references in the schema are resolved.
  std::string base_uri(JsonId at) const;
  // The nearest schema above, or itself, that has an `$id` or is a document's root.
  JsonId resource(JsonId at) const;
  // The values of `$schema`, by resource.
  const std::map<JsonId, JsonId>& dialects() const { return dialects_; }

  // ---- Scopes ----
  static constexpr ScopeId kOutside{0u};  // nothing was passed yet
  // The scope in a schema that is reached from `scope`.
  ScopeId enter(ScopeId scope, JsonId schema);
  // Where a $dynamicRef or $recursiveRef leads. Nothing: nowhere.
  std::optional<JsonId> resolve_dynamic(ScopeId scope, JsonId at, std::string_view reference,
                                        bool is_recursive) const;

 private:
  using Scope = std::vector<std::optional<JsonId>>;  // index: as in shared_names_
  JsonId document_root(JsonId at) const;
  void scan(JsonId node, const std::string& base);

  const JsonDocument& document_;
  std::map<std::string, JsonId, std::less<>> resources_;
  std::map<std::pair<std::string, std::string>, JsonId> anchors_;
  std::map<JsonId, std::string> bases_;  // of roots and of schemas with an $id
  std::map<JsonId, JsonId> dialects_;
  // By name and resource; $recursiveAnchor is one with the name "#".
  std::map<std::string, std::map<JsonId, JsonId>, std::less<>> dynamic_anchors_;
  std::vector<std::string_view> shared_names_;  // those that several resources have
  std::vector<Scope> scopes_;
  std::map<Scope, ScopeId> known_scopes_;
};

}  // namespace xg2lab::json_schema
