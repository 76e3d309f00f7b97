// Makers of nodes.
#include "languages/regex/ast.h"

#include <utility>

namespace xg2lab::regex {

NodeId Ast::add_class(CodePointSet set, SourceSpan span) {
  Node node;
  node.kind = NodeKind::kClass;
  node.span = span;
  node.set = std::move(set);
  return add(std::move(node));
}

NodeId Ast::add_sequence(std::vector<NodeId> children, SourceSpan span) {
  if (children.size() == 1) return children.front();
  Node node;
  node.span = span;
  node.children = std::move(children);
  return add(std::move(node));
}

NodeId Ast::add_choice(std::vector<NodeId> children, SourceSpan span) {
  if (children.empty()) return add_class({}, span);
  if (children.size() == 1) return children.front();
  Node node;
  node.kind = NodeKind::kChoice;
  node.span = span;
  node.children = std::move(children);
  return add(std::move(node));
}

NodeId Ast::add_repeat(NodeId child, uint32_t min, uint32_t max, SourceSpan span) {
  if (min == 1 && max == 1) return child;
  if (max == 0) return add_sequence({}, span);
  Node node;
  node.kind = NodeKind::kRepeat;
  node.span = span;
  node.children = {child};
  node.min = min;
  node.max = max;
  return add(std::move(node));
}

NodeId Ast::add_lookaround(NodeId child, bool is_ahead, bool is_negative, SourceSpan span) {
  Node node;
  node.kind = NodeKind::kLookaround;
  node.span = span;
  node.children = {child};
  node.is_ahead = is_ahead;
  node.is_negative = is_negative;
  return add(std::move(node));
}

}  // namespace xg2lab::regex
