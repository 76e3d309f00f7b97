// Read: the constructor; include, the inclusions that a node contributes.
#include "frontends/lark/leaves.h"

#include <algorithm>
#include <utility>

#include "support/budget.h"

namespace xg2lab::lark {

Neighbours::Neighbours(const LeavesContext& context, std::vector<Leaf> leaves, size_t n_opaque,
                       const std::function<bool(NodeId)>& opaque_may_be_empty)
    : n_terminals_(context.terminals.size()),
      n_opaque_(n_opaque),
      leaves_(std::move(leaves)),
      may_be_empty_(context.tree.nodes.size()),
      index_of_(context.tree.nodes.size(), kNowhere),
      sets_of_(graph_, sets_, [this](uint32_t symbol) { return sets_.of(std::span(&symbol, 1)); }),
      rivals_of_(graph_, sets_, [this](uint32_t symbol) { return follow(symbol); }) {
  number(context);
  find_empty(context, opaque_may_be_empty);
  graph_ = Inclusions(kPerNode * nodes_.size() + n_symbols());
  for (NodeId node : nodes_) include(context, node);
  const NodeId root = context.root;
  graph_.add_symbol(before(root), static_cast<uint32_t>(start()));
  graph_.include(follow_of(start()), first_of(root));
  at_end_ = graph_.add_var();
  graph_.include(at_end_, last_of(root));
  if (may_be_empty(root)) graph_.add_symbol(at_end_, static_cast<uint32_t>(start()));
  graph_.finish();
}

// Numbers the nodes of the used rules.
void Neighbours::number(const LeavesContext& context) {
  number(context, context.root);
  const std::vector<Definition>& definitions = context.resolved.definitions;
  for (size_t i = 0; i < definitions.size(); ++i) {
    if (!definitions[i].is_terminal && context.is_used[i]) number(context, definitions[i].body);
  }
  for (NodeId node : nodes_) {
    const LeafKind kind = leaf(node).kind;
    if (kind == LeafKind::kTerminal || kind == LeafKind::kOpaque) read_.push_back(node);
  }
  std::sort(read_.begin(), read_.end());
}

void Neighbours::number(const LeavesContext& context, NodeId root) {
  std::vector<NodeId> pending{root};
  while (!pending.empty()) {
    const NodeId node = pending.back();
    pending.pop_back();
    if (index_of_[node.index()] != kNowhere) continue;
    index_of_[node.index()] = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back(node);
    if (nodes_.size() % 4096 == 0) check_budget("finding adjacent parts of rules");
    if (leaf(node).kind != LeafKind::kNone) continue;
    const auto& children = context.tree[node].children;
    pending.insert(pending.end(), children.begin(), children.end());
  }
}

// When a node turns out to be nullable, the nodes that contain it are checked.
void Neighbours::find_empty(const LeavesContext& context,
                            const std::function<bool(NodeId)>& opaque_may_be_empty) {
  const auto body_of = [&](NodeId node) {
    return context.resolved.definitions[leaf(node).index].body;
  };
  // index: at_index. Number of children not known to be nullable
  std::vector<uint32_t> n_missing(nodes_.size(), 1);
  // a node's at_index, and the at_index of a node that contains it
  std::vector<std::pair<uint32_t, uint32_t>> above;
  std::vector<uint32_t> pending;
  const auto at = [this](NodeId node) { return index_of_[node.index()]; };
  for (uint32_t at_index = 0; at_index < nodes_.size(); ++at_index) {
    const NodeId id = nodes_[at_index];
    const Node& node = context.tree[id];
    const Leaf& leaf = this->leaf(id);
    bool is_empty = false;
    if (leaf.kind == LeafKind::kRule) {
      above.emplace_back(at(body_of(id)), at_index);
    } else if (leaf.kind == LeafKind::kTerminal) {
      is_empty = context.terminals[leaf.index].dfa.is_accepting[0];
    } else if (leaf.kind == LeafKind::kOpaque) {
      is_empty = opaque_may_be_empty(id);
    } else {
      const bool is_sequence = node.kind == NodeKind::kSequence;
      is_empty = node.children.empty() || (node.kind == NodeKind::kRepeat && node.min == 0);
      if (is_sequence) n_missing[at_index] = static_cast<uint32_t>(node.children.size());
      for (NodeId child : node.children) above.emplace_back(at(child), at_index);
    }
    if (is_empty) {
      n_missing[at_index] = 0;
      pending.push_back(at_index);
    }
  }
  std::sort(above.begin(), above.end());
  while (!pending.empty()) {
    const uint32_t at_index = pending.back();
    pending.pop_back();
    may_be_empty_[nodes_[at_index].index()] = true;
    auto edge =
        std::ranges::lower_bound(above, at_index, {}, &std::pair<uint32_t, uint32_t>::first);
    for (; edge != above.end() && edge->first == at_index; ++edge) {
      uint32_t& missing = n_missing[edge->second];
      if (missing == 0 || --missing > 0) continue;
      pending.push_back(edge->second);
    }
  }
}

uint32_t Neighbours::symbol_of(const Leaf& leaf) const {
  const size_t first = leaf.kind == LeafKind::kTerminal ? 0 : n_terminals_;
  return static_cast<uint32_t>(first + leaf.index);
}

// FIRST and LAST flow from the children to the node; the sets before and behind flow from the node
// to its children.
void Neighbours::include(const LeavesContext& context, NodeId id) {
  const Node& node = context.tree[id];
  const Leaf& leaf = this->leaf(id);
  if (leaf.kind == LeafKind::kRule) {
    const NodeId body = context.resolved.definitions[leaf.index].body;
    graph_.include(first_of(id), first_of(body));
    graph_.include(last_of(id), last_of(body));
    graph_.include(before(body), before(id));
    graph_.include(behind(body), behind(id));
    return;
  }
  if (leaf.kind != LeafKind::kNone) {
    const uint32_t symbol = symbol_of(leaf);
    graph_.add_symbol(first_of(id), symbol);
    graph_.add_symbol(last_of(id), symbol);
    graph_.include(follow_of(symbol), behind(id));
    return;
  }
  if (node.kind == NodeKind::kSequence) return include_sequence(node, id);
  for (NodeId child : node.children) {
    graph_.include(first_of(id), first_of(child));
    graph_.include(last_of(id), last_of(child));
    graph_.include(before(child), before(id));
    graph_.include(behind(child), behind(id));
    if (node.kind != NodeKind::kRepeat || node.max == 1) continue;
    graph_.include(before(child), last_of(child));
    graph_.include(behind(child), first_of(child));
  }
}

// A gap between two children has a set of its own if the part before the gap may be empty, since a
// child may occur elsewhere as well.
void Neighbours::include_sequence(const Node& node, NodeId id) {
  const auto step = [&](Var& gap, NodeId child, Var behind_gap, Var edge) {
    graph_.include(behind_gap, gap);
    if (!may_be_empty(child)) {
      gap = edge;
      return;
    }
    const Var next = graph_.add_var();
    graph_.include(next, edge);
    graph_.include(next, gap);
    gap = next;
  };
  Var gap = before(id);
  bool is_begin = true;
  for (NodeId child : node.children) {
    if (is_begin) graph_.include(first_of(id), first_of(child));
    is_begin = is_begin && may_be_empty(child);
    step(gap, child, before(child), last_of(child));
  }
  gap = behind(id);
  bool is_end = true;
  for (size_t i = node.children.size(); i-- > 0;) {
    const NodeId child = node.children[i];
    if (is_end) graph_.include(last_of(id), last_of(child));
    is_end = is_end && may_be_empty(child);
    step(gap, child, behind(child), first_of(child));
  }
}

}  // namespace xg2lab::lark
