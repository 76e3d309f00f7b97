// The syntax of a Lark grammar: definitions and statements, whose bodies share one tree of nodes.
//
// Tests: tests/core/test_lark.py
//
// EXAMPLE   a: "x"i B~1..3    kSequence(kText "x" ignoring case, kRepeat{1,3}(kName B))
//
// INVARIANTS
//   I1  children have smaller ids than their parent
//   I2  a terminal's name has no small letter, a rule's name no capital
//
// Several texts may share one Tree: the grammar itself, its imports, the common terminals. Nodes
// from another text than the grammar's own have the span of the statement that imported it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grammar/rule_options.h"
#include "support/ids.h"
#include "support/source.h"
#include "support/token_set.h"

namespace xg2lab::lark {

using NodeId = Id<struct LarkNodeTag>;

enum class NodeKind : uint8_t {
  kText,       // `text`, possibly ignoring case
  kPattern,    // `text`: the pattern; `flags`: its flags
  kRange,      // one code point from min to max
  kName,       // a reference to the rule or terminal `text`
  kTemplate,   // rule `text` with its children as arguments
  kSequence,   // children one after another; without children the empty string
  kChoice,     // one of the children
  kRepeat,     // the child, repeated min to max times
  kAnd,        // the intersection of the children (terminals only)
  kNot,        // the complement of the child (terminals only)
  kTokens,     // one token of `tokens`
  kGrammar,    // the grammar with the name `text`
  kNested,     // %lark {...}: `text` is the content of the braces
  kJson,       // %json {...}
  kSubstring,  // %regex {...}: a contiguous sequence of `chunks`
};

constexpr uint32_t kNoMost = UINT32_MAX;

struct Node {
  NodeKind kind = NodeKind::kSequence;
  SourceSpan span;
  std::string text;
  std::string flags;
  std::vector<NodeId> children;
  uint32_t min = 0;
  uint32_t max = 0;  // kNoMost: no upper limit
  bool ignores_case = false;
  TokenSet tokens;
  std::vector<std::string> chunks;
  // kPattern: for each byte of `text`, and for its end, the position in the source; empty: the
  // pattern comes from another text.
  std::vector<uint32_t> positions;
};

struct Tree {
  std::vector<Node> nodes;

  const Node& operator[](NodeId id) const { return nodes[id.index()]; }
  NodeId add(Node node) {
    nodes.push_back(std::move(node));
    return NodeId(nodes.size() - 1);
  }
};

// The effect on an earlier definition of the same name.
enum class DefinitionKind : uint8_t { kDefine, kOverride, kExtend };

struct Definition {
  std::string name;  // without ! and ?
  SourceSpan name_span;
  SourceSpan span;
  DefinitionKind kind = DefinitionKind::kDefine;
  bool is_terminal = false;
  int priority = 0;
  std::vector<std::string> params;             // of a template
  std::shared_ptr<const RuleOptions> options;  // null: the rule has no options
  std::optional<NodeId>
      suffix;  // the end of a lazy rule that doesn't belong to its body: suffix=..., stop=...
  bool hides_suffix = false;  // stop=...: all captures leave the suffix out
  // stop_capture=...: the suffix is captured under this name
  std::optional<std::string> suffix_capture;
  NodeId body;
};

struct ImportedName {
  std::string name;
  std::string alias;  // its name in this document
  SourceSpan span;
  SourceSpan alias_span;  // of the name that it is defined by
};

struct Import {
  std::vector<std::string> path;  // of the grammar: common, or a.b
  SourceSpan span;
  std::vector<ImportedName> names;
};

struct Declared {
  std::string name;
  SourceSpan span;
};

struct Document {
  std::vector<Definition> definitions;
  std::vector<Import> imports;
  std::vector<NodeId> ignored;
  std::vector<Declared> declared;
  std::vector<SourceSpan> params;  // where parameters of templates are named
};

// Whether the name is a terminal's: it has no small letter.
bool is_terminal_name(std::string_view name);

}  // namespace xg2lab::lark
