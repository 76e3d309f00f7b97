// JSON values with source spans, from which schemas and structural tags are read.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   The caller parses the JSON text and passes its values one by one; the builder writes them as
//   indented text while it makes the tree. So every value has a span in a readable text, whether
//   the value came as text, as a dict or as a model of another library. Code that refers to the
//   source of a grammar (messages, explanations, views) therefore works for schemas as it does for
//   EBNF.
//
// EXAMPLE   {"type": "string"}  ->  source "{\n  \"type\": \"string\"\n}"; find(root, "type") spans
//           `"string"`.
//
// INVARIANTS
//   I1  numbers keep their digits: a number is stored as its JSON text
//   I2  strings and keys are valid UTF-8; keys are unique within an object
//   I3  a value has a larger id than its container; the ids of a container's children ascend
//
// THREADS   a JsonDocument is immutable.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/ids.h"
#include "support/source.h"

namespace xg2lab {

using JsonId = Id<struct JsonTag>;

enum class JsonKind : uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };

class JsonDocument {
 public:
  // The values without a container; a single one unless documents were combined.
  std::span<const JsonId> roots() const { return roots_; }
  JsonId root() const { return roots_.front(); }
  size_t n_values() const { return nodes_.size(); }

  JsonKind kind(JsonId id) const { return nodes_[id.index()].kind; }
  bool is_object(JsonId id) const { return kind(id) == JsonKind::kObject; }
  bool is_array(JsonId id) const { return kind(id) == JsonKind::kArray; }
  bool is_string(JsonId id) const { return kind(id) == JsonKind::kString; }
  bool is_number(JsonId id) const { return kind(id) == JsonKind::kNumber; }
  bool is_boolean(JsonId id) const {
    return kind(id) == JsonKind::kTrue || kind(id) == JsonKind::kFalse;
  }
  // kNumber: its digits. kString: its unescaped content.
  std::string_view text(JsonId id) const { return slice(nodes_[id.index()].text); }
  // kArray: the items; kObject: the values in order; key() gives their keys.
  std::span<const JsonId> children(JsonId id) const {
    const Node& node = nodes_[id.index()];
    return {children_.data() + node.first_child, node.n_children};
  }
  // The key of a value that is in an object.
  std::string_view key(JsonId id) const { return slice(nodes_[id.index()].key); }
  std::optional<JsonId> find(JsonId object, std::string_view key) const;
  std::optional<JsonId> parent(JsonId id) const;  // nothing for a root

  SourceSpan span(JsonId id) const { return nodes_[id.index()].span; }
  SourceSpan key_span(JsonId id) const { return nodes_[id.index()].key_span; }
  const std::shared_ptr<const SourceText>& source() const { return source_; }
  // RFC 6901, from the value's root: "/properties/a~1b/0".
  std::string pointer(JsonId id) const;
  // The value that a pointer refers to.
  std::optional<JsonId> at_pointer(JsonId from, std::string_view pointer) const;

 private:
  friend class JsonBuilder;
  struct Slice {
    uint32_t begin = 0;
    uint32_t size = 0;
  };
  struct Node {
    JsonKind kind = JsonKind::kNull;
    uint32_t parent = kNoParent;
    uint32_t first_child = 0;
    uint32_t n_children = 0;
    Slice text;
    Slice key;
    SourceSpan span;
    SourceSpan key_span;
  };
  static constexpr uint32_t kNoParent = UINT32_MAX;
  std::string_view slice(Slice s) const { return std::string_view(texts_).substr(s.begin, s.size); }

  std::vector<JsonId> roots_;
  std::vector<Node> nodes_;
  std::vector<JsonId> children_;
  std::string texts_;
  std::shared_ptr<const SourceText> source_;
};

// A JSON Pointer's part for a name: `~` and `/` escaped (RFC 6901).
std::string pointer_part(std::string_view name);

// Appends `text` as a JSON string, with quotes.
void append_json_string(std::string& out, std::string_view text);

// Receives values in the order of the text. The children of a container come between begin and end;
// in an object each follows its key.
class JsonBuilder {
 public:
  // Starts a further document, under a line of text that names its origin.
  void begin_document(std::string_view title = {});
  void key(std::string_view key);
  JsonId scalar(JsonKind kind, std::string_view text = {});
  // `on_one_line`: for containers with short contents.
  JsonId begin(JsonKind kind, bool on_one_line);
  void end();

  // A hint about the size of the following input.
  void reserve(size_t n_values, size_t n_bytes);

  size_t depth() const { return open_.size(); }
  size_t n_values() const { return document_.nodes_.size(); }
  JsonDocument build(std::string name) &&;

 private:
  struct Open {
    JsonId id;
    bool on_one_line;
    uint32_t first_child;  // index into open_children_
    bool is_empty = true;
  };
  JsonId add(JsonKind kind);
  void begin_child(Open& open);
  void new_line(size_t depth);
  JsonDocument::Slice keep(std::string_view text);

  JsonDocument document_;
  std::string source_;
  std::vector<Open> open_;
  std::vector<JsonId> open_children_;  // of all open containers
  JsonDocument::Slice next_key_;
  SourceSpan next_key_span_;
};

}  // namespace xg2lab
