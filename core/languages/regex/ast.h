// A pattern as a tree: classes, sequences, choices, repetitions, and lookarounds.
//
// IDEA
//   These node kinds express every pattern. A character is a class of one code point; flags are
//   resolved (classes contain all cases, dots their set); groups are dropped, since captures aren't
//   needed. Assertions are lookarounds:
//     ^  = (?<!any)     $ = (?!any)      ^ with flag m = (?<![^\n\r\u2028\u2029])      \b =
//        (?<=\w)(?!\w)|(?<!\w)(?=\w)
//
// INVARIANTS
//   I1  children have smaller ids than their parent
//   I2  a lookbehind has no lookahead within it
#pragma once

#include <cstdint>
#include <vector>

#include "support/code_points.h"
#include "support/ids.h"
#include "support/source.h"

namespace xg2lab::regex {

using NodeId = Id<struct NodeTag>;

enum class NodeKind : uint8_t {
  kClass,     // matches one code point of `set`; nothing if the set is empty
  kSequence,  // children one after another; without children the empty string
  kChoice,    // one of the children
  kRepeat,    // the child, repeated min to max times
  // matches the empty string at a position where the text after it (before it) begins (ends) with
  // a match of the child; if negative, at all other positions
  kLookaround,
};

constexpr uint32_t kNoMost = UINT32_MAX;

struct Node {
  NodeKind kind = NodeKind::kSequence;
  SourceSpan span;  // in the pattern
  CodePointSet set;
  std::vector<NodeId> children;
  uint32_t min = 0;
  uint32_t max = 0;  // kNoMost: no upper limit
  bool is_ahead = false;
  bool is_negative = false;
  bool is_lazy = false;  // kRepeat: doesn't change the whole matches; see settle_lazy (rewrite.h)
};

struct Ast {
  std::vector<Node> nodes;
  NodeId root;

  const Node& operator[](NodeId id) const { return nodes[id.index()]; }
  NodeId add(Node node) {
    nodes.push_back(std::move(node));
    return NodeId(nodes.size() - 1);
  }
  NodeId add_class(CodePointSet set, SourceSpan span);
  // a single child is returned itself
  NodeId add_sequence(std::vector<NodeId> children, SourceSpan span);
  NodeId add_choice(std::vector<NodeId> children,
                    SourceSpan span);  // likewise; without children it matches nothing
  NodeId add_repeat(NodeId child, uint32_t min, uint32_t max, SourceSpan span);
  void set_lazy(NodeId repeat) { nodes[repeat.index()].is_lazy = true; }
  NodeId add_lookaround(NodeId child, bool is_ahead, bool is_negative, SourceSpan span);
};

}  // namespace xg2lab::regex
