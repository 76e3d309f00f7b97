// Read: Finder::find (the fixpoints), upwards (empty, first, last), downwards (before, behind).
#include "frontends/lark/leaves.h"

#include <utility>

#include "support/budget.h"

namespace xg2lab::lark {
namespace {

class Finder {
 public:
  Finder(const LeavesContext& context, std::vector<Leaf> leaves, size_t n_opaque,
         const std::function<bool(NodeId)>& opaque_may_be_empty)
      : context_(context), opaque_may_be_empty_(opaque_may_be_empty) {
    found_.n_terminals = context.terminals.size();
    found_.n_opaque = n_opaque;
    found_.leaves = std::move(leaves);
    const size_t n_nodes = context.tree.nodes.size();
    const SymbolSet none(found_.n_symbols());
    found_.may_be_empty.resize(n_nodes);
    found_.first.assign(n_nodes, none);
    last_.assign(n_nodes, none);
    found_.before.assign(n_nodes, none);
    behind_.assign(n_nodes, none);
    found_.follow.assign(found_.n_symbols(), none);
    found_.at_end = none;
  }

  Neighbours find() {
    do {
      has_changed_ = false;
      for_each_rule([this](NodeId body) { upwards(body); });
    } while (has_changed_);
    const NodeId root = context_.root;
    found_.before[root.index()].add(found_.start());
    do {
      has_changed_ = false;
      for_each_rule([this](NodeId body) { downwards(body); });
    } while (has_changed_);
    found_.at_end = last_[root.index()];
    if (found_.may_be_empty[root.index()]) found_.at_end.add(found_.start());
    found_.follow[found_.start()] = found_.first[root.index()];
    return std::move(found_);
  }

 private:
  template <class Visit>
  void for_each_rule(Visit visit) {
    check_budget("what may stand beside what");
    visit(context_.root);
    const std::vector<Definition>& definitions = context_.resolved.definitions;
    for (size_t i = 0; i < definitions.size(); ++i) {
      count_work("what may stand beside what", 16);
      if (!definitions[i].is_terminal && context_.is_used[i]) visit(definitions[i].body);
    }
  }
  NodeId body_of(size_t rule) const { return context_.resolved.definitions[rule].body; }
  void add(SymbolSet& set, const SymbolSet& more) { has_changed_ = set.add(more) || has_changed_; }
  void set_empty(NodeId id) {
    if (found_.may_be_empty[id.index()]) return;
    found_.may_be_empty[id.index()] = true;
    has_changed_ = true;
  }

  // From the children to the node: whether it may be empty, what it begins with, what it ends with.
  void upwards(NodeId id) {
    const Node& node = context_.tree[id];
    const Leaf& leaf = found_.leaves[id.index()];
    const size_t at = id.index();
    if (leaf.kind == LeafKind::kRule) {
      const size_t body = body_of(leaf.index).index();
      add(found_.first[at], found_.first[body]);
      add(last_[at], last_[body]);
      if (found_.may_be_empty[body]) set_empty(id);
      return;
    }
    if (leaf.kind != LeafKind::kNone) return upwards_leaf(id, leaf);
    for (NodeId child : node.children) upwards(child);
    if (node.kind == NodeKind::kSequence) {
      bool is_empty = true;
      for (NodeId child : node.children) {
        if (is_empty) add(found_.first[at], found_.first[child.index()]);
        is_empty = is_empty && found_.may_be_empty[child.index()];
      }
      if (is_empty) set_empty(id);
      is_empty = true;
      for (size_t i = node.children.size(); i-- > 0 && is_empty;) {
        add(last_[at], last_[node.children[i].index()]);
        is_empty = found_.may_be_empty[node.children[i].index()];
      }
      return;
    }
    bool is_empty = (node.kind == NodeKind::kRepeat && node.min == 0) || node.children.empty();
    for (NodeId child : node.children) {
      add(found_.first[at], found_.first[child.index()]);
      add(last_[at], last_[child.index()]);
      is_empty = is_empty || found_.may_be_empty[child.index()];
    }
    if (is_empty) set_empty(id);
  }

  void upwards_leaf(NodeId id, const Leaf& leaf) {
    const bool is_terminal = leaf.kind == LeafKind::kTerminal;
    const size_t symbol = is_terminal ? leaf.index : found_.n_terminals + leaf.index;
    SymbolSet own(found_.n_symbols());
    own.add(symbol);
    add(found_.first[id.index()], own);
    add(last_[id.index()], own);
    const bool is_empty =
        is_terminal ? context_.terminals[static_cast<TerminalId>(leaf.index)].dfa.is_accepting[0]
                    : opaque_may_be_empty_(id);
    if (is_empty) set_empty(id);
  }

  // From the node to its children: what may stand before it, and behind it.
  void downwards(NodeId id) {
    const Node& node = context_.tree[id];
    const Leaf& leaf = found_.leaves[id.index()];
    const size_t at = id.index();
    if (leaf.kind == LeafKind::kRule) {
      const size_t body = body_of(leaf.index).index();
      add(found_.before[body], found_.before[at]);
      add(behind_[body], behind_[at]);
      return;
    }
    if (leaf.kind != LeafKind::kNone) {
      const bool is_terminal = leaf.kind == LeafKind::kTerminal;
      add(found_.follow[is_terminal ? leaf.index : found_.n_terminals + leaf.index], behind_[at]);
      return;
    }
    if (node.kind == NodeKind::kSequence) {
      downwards_sequence(node, at);
    } else {
      for (NodeId child : node.children) {
        add(found_.before[child.index()], found_.before[at]);
        add(behind_[child.index()], behind_[at]);
        if (node.kind != NodeKind::kRepeat || node.max == 1) continue;
        add(found_.before[child.index()], last_[child.index()]);
        add(behind_[child.index()], found_.first[child.index()]);
      }
    }
    for (NodeId child : node.children) downwards(child);
  }

  void downwards_sequence(const Node& node, size_t at) {
    SymbolSet before = found_.before[at];
    for (NodeId child : node.children) {
      add(found_.before[child.index()], before);
      if (!found_.may_be_empty[child.index()]) before = SymbolSet(found_.n_symbols());
      before.add(last_[child.index()]);
    }
    SymbolSet behind = behind_[at];
    for (size_t i = node.children.size(); i-- > 0;) {
      const size_t child = node.children[i].index();
      add(behind_[child], behind);
      if (!found_.may_be_empty[child]) behind = SymbolSet(found_.n_symbols());
      behind.add(found_.first[child]);
    }
  }

  const LeavesContext& context_;
  const std::function<bool(NodeId)>& opaque_may_be_empty_;
  Neighbours found_;
  std::vector<SymbolSet> last_;    // index: NodeId
  std::vector<SymbolSet> behind_;  // index: NodeId
  bool has_changed_ = false;
};

}  // namespace

Neighbours find_neighbours(const LeavesContext& context, std::vector<Leaf> leaves, size_t n_opaque,
                           const std::function<bool(NodeId)>& opaque_may_be_empty) {
  return Finder(context, std::move(leaves), n_opaque, opaque_may_be_empty).find();
}

}  // namespace xg2lab::lark
