// Resolves $ref: from the text of a reference to the schema that it refers to.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   Each document, and each schema with an `$id`, is a resource with a URI. A reference is resolved
//   against the URI of the resource that contains it (RFC 3986, section 5.2): the part before '#'
//   names a resource, the part after it a pointer or an anchor within that resource. Nothing is
//   fetched: resources are those of the given documents. If a bare pointer `#/...` can't be
//   resolved in its resource, it is resolved from the document's root, since schemas in the wild
//   have an `id` that is not a URI.
//
//   A $dynamicRef to a $dynamicAnchor refers to the anchor of that name in the outermost resource
//   on the path of references that has one. So the meaning of a schema depends on the path, but
//   only on its *scope*: for each name that several resources have, the first such anchor on the
//   path. There are finitely many scopes, and most schemas need one.
//
//   {$id: strings, $ref: list, $defs: {$dynamicAnchor: item, type: string}}
//   {$id: numbers, $ref: list, $defs: {$dynamicAnchor: item, type: number}}
//   In `list`, {$dynamicRef: #item} refers to strings if `list` was reached from the first schema,
//   to numbers if from the second.
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

// RFC 3986, section 5.2; the fragment of `base` is ignored.
std::string resolve_uri(std::string_view base, std::string_view reference);

class References {
 public:
  // `uris`: of the documents' roots; "" for a root without a URI.
  References(const JsonDocument& document, const std::vector<std::string>& uris);

  std::optional<JsonId> resolve(JsonId at, std::string_view reference) const;
  // The URI against which references in the schema are resolved.
  std::string base_uri(JsonId at) const;
  // The nearest enclosing schema, or the schema itself, that has an `$id` or is a document's root.
  JsonId resource(JsonId at) const;
  // The values of `$schema`, by resource.
  const std::map<JsonId, JsonId>& dialects() const { return dialects_; }

  // ---- Scopes ----
  static constexpr ScopeId kOutside{0u};  // no resource was entered yet
  // The scope after following a reference from `scope` to a schema.
  ScopeId enter(ScopeId scope, JsonId schema);
  // The target of a $dynamicRef or $recursiveRef. Nothing: it can't be resolved.
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
  // By name and resource; a $recursiveAnchor has the name "#".
  std::map<std::string, std::map<JsonId, JsonId>, std::less<>> dynamic_anchors_;
  std::vector<std::string_view> shared_names_;  // names of anchors in several resources
  std::vector<Scope> scopes_;
  std::map<Scope, ScopeId> known_scopes_;
};

}  // namespace xg2lab::json_schema
