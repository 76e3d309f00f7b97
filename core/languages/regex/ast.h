// A pattern as a tree: classes, what comes one after the other, choices, repetitions, and looks around.
//
// IDEA
//   Whatever a pattern says is said with these. A character is a class of one; flags are gone (classes hold all
//   cases, dots what they match); groups are gone, as nobody asks for captures. Assertions are looks around:
//     ^  = (?<!any)     $ = (?!any)      ^ with flag m = (?<![^\n\r\u2028\u2029])      \b = (?<=\w)(?!\w)|(?<!\w)(?=\w)
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
  kClass,     // one code point of `set`; an empty set matches nothing
  kSequence,  // children one after another; without children the empty text
  kChoice,    // one of the children
  kRepeat,    // its child, between min and max times
  kLook,  // matches the empty text where its child matches what is ahead, or what is behind; or does not
};

constexpr uint32_t kNoMost = UINT32_MAX;

struct Node {
  NodeKind kind = NodeKind::kSequence;
  SourceSpan span;  // in the pattern
  CodePointSet set;
  std::vector<NodeId> children;
  uint32_t min = 0;
  uint32_t max = 0;  // kNoMost: no limit
  bool is_ahead = false;
  bool is_negative = false;
  bool is_lazy = false;  // kRepeat: whole matches are the same; see settle_lazy (rewrite.h)
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
  NodeId add_sequence(std::vector<NodeId> children, SourceSpan span);  // of one child: the child
  NodeId add_choice(std::vector<NodeId> children,
                    SourceSpan span);  // likewise; of none: matches nothing
  NodeId add_repeat(NodeId child, uint32_t min, uint32_t max, SourceSpan span);
  void set_lazy(NodeId repeat) { nodes[repeat.index()].is_lazy = true; }
  NodeId add_look(NodeId child, bool is_ahead, bool is_negative, SourceSpan span);
};

}  // namespace xg2lab::regex
