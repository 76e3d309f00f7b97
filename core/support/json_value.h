// JSON values with a place each: what schemas and structural tags are read from.
//
// Tests: tests/json_schema/test_keywords.py
//
// IDEA
//   JSON text is parsed by Python's own library. What arrives here are its values, one after the other; the builder writes
//   them down again, indented, while it makes the tree. So every value has a span in a text that people can read,
//   whether it came as text, as a dict or as a model of another library, and everything that points into the
//   source of a grammar (messages, explanations, views) works for a schema as it does for EBNF.
//
// EXAMPLE   {"type": "string"}  ->  source "{\n  \"type\": \"string\"\n}"; find(root, "type") spans `"string"`.
//
// INVARIANTS
//   I1  numbers keep their digits: a number is the text that JSON has for it
//   I2  strings and keys are valid UTF-8; a key occurs once in an object
//   I3  a value has a larger id than what holds it; ids of one container's children ascend
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
  // The values that stand for themselves; one unless documents were put together.
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
  // kNumber: its digits. kString: what it says.
  std::string_view text(JsonId id) const { return slice(nodes_[id.index()].text); }
  // kArray: the items; kObject: the values, each with its key.
  std::span<const JsonId> children(JsonId id) const {
    const Node& node = nodes_[id.index()];
    return {children_.data() + node.first_child, node.n_children};
  }
  // Of a value in an object.
  std::string_view key(JsonId id) const { return slice(nodes_[id.index()].key); }
  std::optional<JsonId> find(JsonId object, std::string_view key) const;
  std::optional<JsonId> parent(JsonId id) const;  // nothing: a root

  SourceSpan span(JsonId id) const { return nodes_[id.index()].span; }
  SourceSpan key_span(JsonId id) const { return nodes_[id.index()].key_span; }
  const std::shared_ptr<const SourceText>& source() const { return source_; }
  // RFC 6901, from the root that holds it: "/properties/a~1b/0".
  std::string pointer(JsonId id) const;
  // What a pointer leads to.
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

// Text as JSON has it between quotes, the quotes included.
void append_json_string(std::string& out, std::string_view text);

// Takes values in the order of the text. A container's children come between its begin and its end; in an object each
// after its key.
class JsonBuilder {
 public:
  // A line of text between documents: where a further one comes from.
  void begin_document(std::string_view title = {});
  void key(std::string_view key);
  JsonId scalar(JsonKind kind, std::string_view text = {});
  // `on_one_line`: for containers whose parts are short.
  JsonId begin(JsonKind kind, bool on_one_line);
  void end();

  // What is about to come, as far as the caller knows.
  void reserve(size_t n_values, size_t n_bytes);

  size_t depth() const { return open_.size(); }
  size_t n_values() const { return document_.nodes_.size(); }
  JsonDocument build(std::string name) &&;

 private:
  struct Open {
    JsonId id;
    bool on_one_line;
    uint32_t first_child;  // in open_children_
    bool is_empty = true;
  };
  JsonId add(JsonKind kind);
  void begin_child(Open& open);
  void new_line(size_t depth);
  JsonDocument::Slice keep(std::string_view text);

  JsonDocument document_;
  std::string source_;
  std::vector<Open> open_;
  std::vector<JsonId> open_children_;  // of all containers that are open
  JsonDocument::Slice next_key_;
  SourceSpan next_key_span_;
};

}  // namespace xg2lab
