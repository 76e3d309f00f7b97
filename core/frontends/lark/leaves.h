// What the rules are made of, and what may stand beside what.
//
// Tests: tests/core/test_lark.py, tests/core/test_growth_lark.py
//
// IDEA
//   A leaf is a place in a rule at which something is read that is no rule: a terminal, a token, a
//   grammar of its own. What begins and ends a node, what stands before and behind it, are the
//   least sets that contain one another as the rules say: what begins a rule's body begins each
//   reference to the rule. These inclusions are a graph (inclusions.h), and a set is worked out
//   when somebody asks for it, once for all nodes that contain each other.
//
// EXAMPLE   start: A b   b: C | D C      before C: A and D; behind C: nothing
//
// COST      the graph: nodes of rules. A set: what it is the union of. All sets together:
//           kMostSetWords.
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
  kNone,      // the node has children, or is empty
  kRule,      // a reference to a rule
  kTerminal,  // the lexer reads it
  kOpaque,    // a token, a substring, a grammar of its own
};

struct Leaf {
  LeafKind kind = LeafKind::kNone;
  uint32_t index =
      0;  // the rule's, among all definitions; the terminal's; of opaque ones a number of its own
};

struct LeavesContext {
  const Tree& tree;
  const Resolved& resolved;
  const Terminals& terminals;
  const std::vector<bool>& is_used;  // index: definition
  NodeId root;                       // a reference to the rule that a text is
};

// Symbols: terminals, then opaque leaves, then one for the beginning of the text.
class Neighbours {
 public:
  // `leaves` (index: NodeId) says what stands at each node of the rules' bodies.
  Neighbours(const LeavesContext& context, std::vector<Leaf> leaves, size_t n_opaque,
             const std::function<bool(NodeId)>& opaque_may_be_empty);

  size_t n_terminals() const { return n_terminals_; }
  size_t n_opaque() const { return n_opaque_; }
  size_t n_symbols() const { return n_terminals_ + n_opaque_ + 1; }
  size_t start() const { return n_symbols() - 1; }
  const Leaf& leaf(NodeId node) const { return leaves_[node.index()]; }
  bool may_be_empty(NodeId node) const { return may_be_empty_[node.index()]; }
  // The leaves of rules, in the order of their ids.
  const std::vector<NodeId>& leaves() const { return read_; }

  // What a node begins with.
  SetId first(NodeId node) { return sets_of_.value(first_of(node)); }
  // What may stand behind a symbol, or behind start().
  SetId follow(size_t symbol) { return sets_of_.value(follow_of(symbol)); }
  // Whether a text needs this leaf.
  bool is_reached(NodeId leaf) { return rivals_of_.is_any(before(leaf)); }
  // What may stand behind some symbol that may stand before the leaf, or at the end of the text.
  SetId rivals(NodeId leaf) { return rivals_of_.value(before(leaf)); }
  SetId rivals_at_end() { return rivals_of_.value(at_end_); }

  SymbolSets& sets() { return sets_; }
  bool is_too_large() const { return sets_.n_words() > kMostSetWords; }
  // For tests: what was done to find sets. Linear in the grammar where the sets are few.
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

  Var var(NodeId node, Var which) const { return kPerNode * place_[node.index()] + which; }
  Var first_of(NodeId node) const { return var(node, 0); }
  Var last_of(NodeId node) const { return var(node, 1); }
  Var before(NodeId node) const { return var(node, 2); }
  Var behind(NodeId node) const { return var(node, 3); }
  Var follow_of(size_t symbol) const { return static_cast<Var>(kPerNode * nodes_.size() + symbol); }

  size_t n_terminals_;
  size_t n_opaque_;
  std::vector<Leaf> leaves_;        // index: NodeId
  std::vector<bool> may_be_empty_;  // index: NodeId
  std::vector<uint32_t> place_;     // index: NodeId; in nodes_, or kNowhere
  std::vector<NodeId> nodes_;       // of the rules that are used
  std::vector<NodeId> read_;
  Inclusions graph_;
  Var at_end_ = 0;
  SymbolSets sets_;
  Values sets_of_;
  Values rivals_of_;
};

}  // namespace xg2lab::lark
