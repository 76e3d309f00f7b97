#include "frontends/json_schema/references.h"

#include <algorithm>
#include <array>

#include "support/text.h"

namespace xg2lab::json_schema {
namespace {

struct Uri {
  std::string_view scheme;     // with ':'
  std::string_view authority;  // with "//"
  std::string_view path;
  std::string_view query;  // with '?'
};

Uri split(std::string_view text) {
  Uri uri;
  text = text.substr(0, text.find('#'));
  const size_t colon = text.find_first_of(":/?");
  if (colon != std::string_view::npos && text[colon] == ':' && colon > 0) {
    uri.scheme = text.substr(0, colon + 1);
    text.remove_prefix(colon + 1);
  }
  if (text.starts_with("//")) {
    const size_t end = std::min(text.find_first_of("/?", 2), text.size());
    uri.authority = text.substr(0, end);
    text.remove_prefix(end);
  }
  const size_t question = std::min(text.find('?'), text.size());
  uri.path = text.substr(0, question);
  uri.query = text.substr(question);
  return uri;
}

std::string without_dots(std::string_view path) {
  std::vector<std::string_view> parts;
  const bool is_absolute = path.starts_with('/');
  bool ends_with_slash = false;
  for (size_t at = is_absolute ? 1 : 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    ends_with_slash = part == "." || part == ".." || (part.empty() && end == path.size());
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (part != "." && !(part.empty() && end == path.size())) {
      parts.push_back(part);
    }
    at = end + 1;
  }
  std::string out = is_absolute ? "/" : "";
  out += join(parts, "/");
  if (ends_with_slash && !parts.empty()) out += '/';
  return out;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(16 * high + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Keywords that contain a schema, and those that contain a list or an object of schemas.
constexpr std::array<std::string_view, 12> kOneSchema{"items",
                                                      "additionalItems",
                                                      "unevaluatedItems",
                                                      "contains",
                                                      "additionalProperties",
                                                      "unevaluatedProperties",
                                                      "propertyNames",
                                                      "not",
                                                      "if",
                                                      "then",
                                                      "else",
                                                      "contentSchema"};
constexpr std::array<std::string_view, 11> kManySchemas{"allOf",
                                                        "anyOf",
                                                        "oneOf",
                                                        "items",
                                                        "prefixItems",
                                                        "properties",
                                                        "patternProperties",
                                                        "$defs",
                                                        "definitions",
                                                        "dependentSchemas",
                                                        "dependencies"};

template <size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::string_view kRecursive = "#";  // can't be the name of an anchor

std::string_view before_fragment(std::string_view uri) { return uri.substr(0, uri.find('#')); }
std::string_view fragment(std::string_view uri) {
  const size_t hash = uri.find('#');
  return hash == std::string_view::npos ? std::string_view() : uri.substr(hash + 1);
}

}  // namespace

std::string resolve_uri(std::string_view base_text, std::string_view text) {
  const Uri base = split(base_text);
  const Uri uri = split(text);
  const auto joined = [](std::string_view scheme, std::string_view authority, std::string_view path,
                         std::string_view query) { return concat(scheme, authority, path, query); };
  if (!uri.scheme.empty())
    return joined(uri.scheme, uri.authority, without_dots(uri.path), uri.query);
  if (!uri.authority.empty())
    return joined(base.scheme, uri.authority, without_dots(uri.path), uri.query);
  if (uri.path.empty())
    return joined(base.scheme, base.authority, base.path,
                  uri.query.empty() ? base.query : uri.query);
  if (uri.path.starts_with('/'))
    return joined(base.scheme, base.authority, without_dots(uri.path), uri.query);
  const size_t slash = base.path.rfind('/');
  const std::string folder = slash == std::string_view::npos
                                 ? std::string(base.authority.empty() ? "" : "/")
                                 : std::string(base.path.substr(0, slash + 1));
  return joined(base.scheme, base.authority, without_dots(concat(folder, uri.path)), uri.query);
}

References::References(const JsonDocument& document, const std::vector<std::string>& uris)
    : document_(document) {
  for (size_t i = 0; i < document.roots().size(); ++i) {
    const std::string uri = i < uris.size() ? std::string(before_fragment(uris[i])) : std::string();
    const JsonId root = document.roots()[i];
    resources_.try_emplace(uri, root);
    bases_[root] = uri;
    scan(root, uri);
  }
  for (const auto& [name, anchors] : dynamic_anchors_) {
    if (anchors.size() > 1) shared_names_.push_back(name);
  }
  scopes_.emplace_back(shared_names_.size());
  known_scopes_.emplace(scopes_.front(), kOutside);
}

// Visits only places that hold schemas; an `$id` elsewhere has no effect.
void References::scan(JsonId node, const std::string& outer) {
  if (!document_.is_object(node)) return;
  std::string base = outer;
  std::optional<JsonId> dialect;
  for (JsonId child : document_.children(node)) {
    const std::string_view key = document_.key(child);
    if (key == "$schema" && document_.is_string(child)) dialect = child;
    if ((key != "$id" && key != "id") || !document_.is_string(child)) continue;
    const std::string_view id = document_.text(child);
    if (id.starts_with('#')) {  // draft-07 and before
      anchors_.try_emplace({base, std::string(id.substr(1))}, node);
      continue;
    }
    base = resolve_uri(base, id);
    resources_.try_emplace(base, node);
    bases_[node] = base;
    if (const auto anchor = fragment(id); !anchor.empty())
      anchors_.try_emplace({base, std::string(anchor)}, node);
  }
  if (dialect && bases_.contains(node)) dialects_.emplace(node, *dialect);
  for (JsonId child : document_.children(node)) {
    const std::string_view key = document_.key(child);
    if (document_.is_string(child)) {
      if (key == "$anchor" || key == "$dynamicAnchor")
        anchors_.try_emplace({base, std::string(document_.text(child))}, node);
      if (key == "$dynamicAnchor")
        dynamic_anchors_[std::string(document_.text(child))].try_emplace(resource(node), node);
    } else if (key == "$recursiveAnchor") {
      if (document_.kind(child) == JsonKind::kTrue)
        dynamic_anchors_[std::string(kRecursive)].try_emplace(resource(node), node);
    } else if (is_one_of(key, kOneSchema) && document_.is_object(child)) {
      scan(child, base);
    } else if (is_one_of(key, kManySchemas)) {
      for (JsonId schema : document_.children(child)) scan(schema, base);
    }
  }
}

JsonId References::resource(JsonId at) const {
  for (;;) {
    const auto outer = document_.parent(at);
    if (!outer || bases_.contains(at)) return at;
    at = *outer;
  }
}

JsonId References::document_root(JsonId at) const {
  while (const auto outer = document_.parent(at)) at = *outer;
  return at;
}

std::string References::base_uri(JsonId at) const {
  const auto found = bases_.find(resource(at));
  return found == bases_.end() ? std::string() : found->second;
}

std::optional<JsonId> References::resolve(JsonId at, std::string_view reference) const {
  const bool is_here = reference.starts_with('#') && bases_.size() == 1;
  const auto resource = is_here ? resources_.find(bases_.begin()->second)
                                : resources_.find(resolve_uri(base_uri(at), reference));
  if (resource == resources_.end()) return std::nullopt;
  const std::string target = percent_decoded(fragment(reference));
  if (target.empty()) return resource->second;
  if (target.front() == '/') {
    const auto found = document_.at_pointer(resource->second, target);
    if (found || !reference.starts_with('#')) return found;
    // An `id` that was not meant as a URI starts a resource too, but most validators resolve
    // pointers from the document's root.
    return document_.at_pointer(document_root(at), target);
  }
  const auto anchor = anchors_.find({resource->first, target});
  return anchor == anchors_.end() ? std::nullopt : std::optional(anchor->second);
}

ScopeId References::enter(ScopeId scope, JsonId schema) {
  if (shared_names_.empty()) return scope;
  const JsonId entered = resource(schema);
  Scope passed = scopes_[scope.index()];
  for (size_t i = 0; i < shared_names_.size(); ++i) {
    if (passed[i]) continue;
    const auto& anchors = dynamic_anchors_.find(shared_names_[i])->second;
    if (const auto own = anchors.find(entered); own != anchors.end()) passed[i] = own->second;
  }
  const auto [found, is_new] = known_scopes_.try_emplace(passed, ScopeId(scopes_.size()));
  if (is_new) scopes_.push_back(std::move(passed));
  return found->second;
}

std::optional<JsonId> References::resolve_dynamic(ScopeId scope, JsonId at,
                                                  std::string_view reference,
                                                  bool is_recursive) const {
  const std::optional<JsonId> first = resolve(at, reference);
  if (!first) return std::nullopt;
  const std::string name =
      is_recursive ? std::string(kRecursive) : percent_decoded(fragment(reference));
  const auto anchors = dynamic_anchors_.find(name);
  if (anchors == dynamic_anchors_.end()) return first;
  const auto own = anchors->second.find(resource(*first));
  if (own == anchors->second.end() || own->second != *first) return first;  // a plain anchor
  const auto shared = std::find(shared_names_.begin(), shared_names_.end(), name);
  if (shared == shared_names_.end()) return first;
  const auto& outermost =
      scopes_[scope.index()][static_cast<size_t>(shared - shared_names_.begin())];
  return outermost ? outermost : first;
}

}  // namespace xg2lab::json_schema
