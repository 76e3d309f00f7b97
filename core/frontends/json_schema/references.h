// $ref: from the words of a reference to the schema that it means.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   Each document, and each schema with an `$id`, is a resource with a URI. A reference is resolved against the URI of the
//   resource that it stands in (RFC 3986, section 5.2): what comes before '#' names a resource, what comes behind a pointer into
//   it or an anchor. Nothing is fetched: resources are those in the documents that were given.
//
// SEE ALSO  JSON Schema 2020-12, core sections 8.2 and 9.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/json_value.h"

namespace xg2lab::json_schema {

// RFC 3986, section 5.2, without the fragment of `base`.
std::string resolve_uri(std::string_view base, std::string_view reference);

class References {
 public:
  // `uris`: of the documents' roots; "" for a root without.
  References(const JsonDocument& document, const std::vector<std::string>& uris);

  std::optional<JsonId> resolve(JsonId at, std::string_view reference) const;
  // The URI against which references in the schema are resolved.
  std::string base_uri(JsonId at) const;
  // Where a $dynamicRef or $recursiveRef leads. Whoever asks began at the document's root, so if the root's resource has
  // the anchor, that is the outermost one.
  struct Dynamic {
    std::optional<JsonId> target;  // nothing: it leads nowhere
    bool depends = false;          // on who asks
  };
  Dynamic resolve_dynamic(JsonId at, std::string_view reference, bool is_recursive) const;

 private:
  void scan(JsonId node, const std::string& base);

  const JsonDocument& document_;
  std::map<std::string, JsonId, std::less<>> resources_;
  std::map<std::pair<std::string, std::string>, JsonId> anchors_;
  std::map<JsonId, std::string> bases_;  // of roots and of schemas with an $id
  std::map<std::pair<std::string, std::string>, JsonId> dynamic_anchors_;  // by base and name
  std::map<std::string, JsonId> recursive_anchors_;                        // by base
};

}  // namespace xg2lab::json_schema
