// The leaves of rules, and which leaves may be neighbours.
//
// Tests: tests/core/test_lark.py, tests/core/test_growth_lark.py
//
// IDEA
//   A leaf is a position in a rule at which something other than a rule is read: a terminal, a
//   token, an embedded grammar. FIRST, LAST, and the sets of leaves before and behind a node are
//   the least sets that satisfy inclusions: FIRST of a rule's body is contained in FIRST of each
//   reference to the rule. The inclusions are a graph (inclusions.h); a set is computed on demand,
//   once for all nodes that contain each other.
//
// EXAMPLE   start: A b   b: C | D C      before C: A and D; behind C: nothing
//
// COST      the graph: linear in the nodes of rules. A set: the sizes of the sets that it unites.
//           All sets together: kMostSetWords.
// SEE ALSO  Aho, Lam, Sethi, Ullman, section 4.4 (FIRST and FOLLOW); DeRemer and Pennello 1982
//           (sets by strong components)
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "frontends/lark/inclusions.h"
#include "frontends/lark/terminals.h"

namespace xg2lab::lark {

constexpr size_t kMostSetWords = 8'000'000;

enum class LeafKind : uint8_t {
  kNone,      // the node has children or is empty
  kRule,      // a reference to a rule
  kTerminal,  // read by the lexer
  kOpaque,    // a token, a substring, an embedded grammar
};

struct Leaf {
  LeafKind kind = LeafKind::kNone;
  uint32_t index =
      0;  // kRule: among all definitions; kTerminal: the terminal; kOpaque: a number of its own
};

struct LeavesContext {
  const Tree& tree;
  const Resolved& resolved;
  const Terminals& terminals;
  const std::vector<bool>& is_used;  // index: definition
  NodeId root;                       // a reference to the start rule
};

// Symbols: terminals, then opaque leaves, then one for the start of the text.
class Neighbours {
 public:
  // `leaves` (index: NodeId) gives the kind of each node of the rules' bodies.
  Neighbours(const LeavesContext& context, std::vector<Leaf> leaves, size_t n_opaque,
             const std::function<bool(NodeId)>& opaque_may_be_empty);

  size_t n_terminals() const { return n_terminals_; }
  size_t n_opaque() const { return n_opaque_; }
  size_t n_symbols() const { return n_terminals_ + n_opaque_ + 1; }
  size_t start() const { return n_symbols() - 1; }
  const Leaf& leaf(NodeId node) const { return leaves_[node.index()]; }
  bool may_be_empty(NodeId node) const { return may_be_empty_[node.index()]; }
  // The leaves of the used rules, in the order of their ids.
  const std::vector<NodeId>& leaves() const { return read_; }

  // The symbols that a node can begin with.
  SetId first(NodeId node) { return sets_of_.value(first_of(node)); }
  // The symbols that may follow a symbol, or start().
  SetId follow(size_t symbol) { return sets_of_.value(follow_of(symbol)); }
  // Whether some text uses this leaf.
  bool is_reached(NodeId leaf) { return rivals_of_.is_any(before(leaf)); }
  // The symbols that may follow some symbol which may precede the leaf, or precede the end of the
  // text.
  SetId rivals(NodeId leaf) { return rivals_of_.value(before(leaf)); }
  SetId rivals_at_end() { return rivals_of_.value(at_end_); }

  SymbolSets& sets() { return sets_; }
  bool is_too_large() const { return sets_.n_words() > kMostSetWords; }
  // For tests: the work to compute sets. Linear in the grammar if there are few sets.
  size_t n_steps() const { return sets_of_.n_steps() + rivals_of_.n_steps() + graph_.n_edges(); }

 private:
  using Var = Inclusions::Var;
  static constexpr uint32_t kNowhere = UINT32_MAX;
  static constexpr Var kPerNode = 4;

  void number(const LeavesContext& context);
  void number(const LeavesContext& context, NodeId root);
  void find_empty(const LeavesContext& context, const std::function<bool(NodeId)>& opaque);
  void include(const LeavesContext& context, NodeId id);
  void include_sequence(const Node& node, NodeId id);
  uint32_t symbol_of(const Leaf& leaf) const;

  Var var(NodeId node, Var which) const { return kPerNode * index_of_[node.index()] + which; }
  Var first_of(NodeId node) const { return var(node, 0); }
  Var last_of(NodeId node) const { return var(node, 1); }
  Var before(NodeId node) const { return var(node, 2); }
  Var behind(NodeId node) const { return var(node, 3); }
  Var follow_of(size_t symbol) const { return static_cast<Var>(kPerNode * nodes_.size() + symbol); }

  size_t n_terminals_;
  size_t n_opaque_;
  std::vector<Leaf> leaves_;        // index: NodeId
  std::vector<bool> may_be_empty_;  // index: NodeId
  std::vector<uint32_t> index_of_;  // index: NodeId; its index in nodes_, or kNowhere
  std::vector<NodeId> nodes_;       // of the used rules
  std::vector<NodeId> read_;
  Inclusions graph_;
  Var at_end_ = 0;
  SymbolSets sets_;
  Values sets_of_;
  Values rivals_of_;
};

}  // namespace xg2lab::lark
