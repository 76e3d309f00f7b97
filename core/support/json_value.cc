// JsonDocument: look-ups. JsonBuilder: add appends a value to its container; the rest writes the
// text.
#include "support/json_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "support/error.h"
#include "support/text.h"

namespace xg2lab {

std::optional<JsonId> JsonDocument::find(JsonId object, std::string_view key) const {
  for (JsonId child : children(object)) {
    if (this->key(child) == key) return child;
  }
  return std::nullopt;
}

std::optional<JsonId> JsonDocument::parent(JsonId id) const {
  const uint32_t parent = nodes_[id.index()].parent;
  return parent == kNoParent ? std::nullopt : std::optional(JsonId(parent));
}

std::string JsonDocument::pointer(JsonId id) const {
  std::vector<std::string> parts;
  for (auto above = parent(id); above; id = *above, above = parent(id)) {
    std::string part = "/";
    if (is_array(*above)) {
      const auto items = children(*above);
      part += std::to_string(std::lower_bound(items.begin(), items.end(), id) - items.begin());
    } else {
      part += pointer_part(key(id));
    }
    parts.push_back(std::move(part));
  }
  std::string pointer;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) pointer += *part;
  return pointer;
}

std::optional<JsonId> JsonDocument::at_pointer(JsonId from, std::string_view pointer) const {
  while (!pointer.empty()) {
    if (pointer.front() != '/') return std::nullopt;
    pointer.remove_prefix(1);
    const std::string_view raw = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(raw.size());
    std::string part;
    for (size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] == '~' && i + 1 < raw.size() && (raw[i + 1] == '0' || raw[i + 1] == '1'))
        part += raw[++i] == '0' ? '~' : '/';
      else part += raw[i];
    }
    if (is_object(from)) {
      const auto child = find(from, part);
      if (!child) return std::nullopt;
      from = *child;
      continue;
    }
    if (!is_array(from)) return std::nullopt;
    size_t index = 0;
    const auto read = std::from_chars(part.data(), part.data() + part.size(), index);
    const bool is_index = read.ec == std::errc() && read.ptr == part.data() + part.size() &&
                          (part.size() == 1 || part.front() != '0');
    if (!is_index || index >= children(from).size()) return std::nullopt;
    from = children(from)[index];
  }
  return from;
}

std::string pointer_part(std::string_view name) {
  std::string part;
  for (const char byte : name) {
    if (byte == '~') part += "~0";
    else if (byte == '/') part += "~1";
    else part += byte;
  }
  return part;
}

void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr auto kIsPlain = [] {
    std::array<bool, 256> is_plain{};
    for (size_t byte = 0x20; byte < is_plain.size(); ++byte)
      is_plain[byte] = byte != '"' && byte != '\\';
    return is_plain;
  }();
  const auto is_plain = [&](char c) { return kIsPlain[static_cast<unsigned char>(c)]; };
  out += '"';
  while (!text.empty()) {
    const auto n_plain =
        static_cast<size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
    out += text.substr(0, n_plain);
    if (n_plain == text.size()) break;
    switch (const char c = text[n_plain]) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      default:
        out += "\\u00";
        out += kDigits[static_cast<unsigned char>(c) >> 4];
        out += kDigits[static_cast<unsigned char>(c) & 15];
    }
    text.remove_prefix(n_plain + 1);
  }
  out += '"';
}

// ---- JsonBuilder ----

void JsonBuilder::begin_document(std::string_view title) {
  XG2LAB_ASSERT(open_.empty(), "a document begins outside of all others");
  if (!source_.empty()) source_ += "\n";
  if (!title.empty()) source_ += concat("// ", title, "\n");
}

JsonDocument::Slice JsonBuilder::keep(std::string_view text) {
  const JsonDocument::Slice slice{static_cast<uint32_t>(document_.texts_.size()),
                                  static_cast<uint32_t>(text.size())};
  document_.texts_ += text;
  return slice;
}

void JsonBuilder::new_line(size_t depth) {
  source_ += '\n';
  source_.append(2 * depth, ' ');
}

// Writes the separator between children, or the break before the first child.
void JsonBuilder::begin_child(Open& open) {
  if (!open.is_empty) source_ += open.on_one_line ? ", " : ",";
  if (!open.on_one_line) new_line(open_.size());
  open.is_empty = false;
}

void JsonBuilder::key(std::string_view key) {
  begin_child(open_.back());
  next_key_ = keep(key);
  const auto begin = static_cast<uint32_t>(source_.size());
  append_json_string(source_, key);
  next_key_span_ = {begin, static_cast<uint32_t>(source_.size())};
  source_ += ": ";
}

JsonId JsonBuilder::add(JsonKind kind) {
  const JsonId id(document_.nodes_.size());
  JsonDocument::Node node;
  node.kind = kind;
  if (open_.empty()) {
    document_.roots_.push_back(id);
  } else {
    Open& open = open_.back();
    node.parent = open.id.value;
    if (document_.is_array(open.id)) {
      begin_child(open);
    } else {
      node.key = next_key_;
      node.key_span = next_key_span_;
    }
    open_children_.push_back(id);
  }
  node.span.begin = static_cast<uint32_t>(source_.size());
  document_.nodes_.push_back(node);
  return id;
}

JsonId JsonBuilder::scalar(JsonKind kind, std::string_view text) {
  const JsonId id = add(kind);
  switch (kind) {
    case JsonKind::kNull: source_ += "null"; break;
    case JsonKind::kFalse: source_ += "false"; break;
    case JsonKind::kTrue: source_ += "true"; break;
    case JsonKind::kString: append_json_string(source_, text); break;
    default: source_ += text; break;
  }
  JsonDocument::Node& node = document_.nodes_[id.index()];
  node.text = keep(text);
  node.span.end = static_cast<uint32_t>(source_.size());
  return id;
}

JsonId JsonBuilder::begin(JsonKind kind, bool on_one_line) {
  const JsonId id = add(kind);
  source_ += kind == JsonKind::kArray ? '[' : '{';
  open_.push_back({id, on_one_line, static_cast<uint32_t>(open_children_.size())});
  return id;
}

void JsonBuilder::end() {
  const Open open = open_.back();
  open_.pop_back();
  JsonDocument::Node& node = document_.nodes_[open.id.index()];
  const auto first = open_children_.begin() + open.first_child;
  node.first_child = static_cast<uint32_t>(document_.children_.size());
  node.n_children = static_cast<uint32_t>(open_children_.end() - first);
  document_.children_.insert(document_.children_.end(), first, open_children_.end());
  open_children_.erase(first, open_children_.end());
  if (!open.on_one_line && !open.is_empty) new_line(open_.size());
  source_ += node.kind == JsonKind::kArray ? ']' : '}';
  node.span.end = static_cast<uint32_t>(source_.size());
}

void JsonBuilder::reserve(size_t n_values, size_t n_bytes) {
  document_.nodes_.reserve(document_.nodes_.size() + n_values);
  document_.children_.reserve(document_.children_.size() + n_values);
  document_.texts_.reserve(document_.texts_.size() + n_bytes);
  source_.reserve(source_.size() + 2 * n_bytes);
}

JsonDocument JsonBuilder::build(std::string name) && {
  XG2LAB_ASSERT(open_.empty() && !document_.roots_.empty(), "every container is closed");
  document_.source_ = std::make_shared<SourceText>(std::move(source_), std::move(name));
  return std::move(document_);
}

}  // namespace xg2lab
