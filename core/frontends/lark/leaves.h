// What the rules are made of, and what may stand beside what.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   A leaf is a place in a rule at which something is read that is no rule: a terminal, a token, a grammar of its own. What
//   may precede it and what may follow it is worked out by fixpoints over the rules: whether a node may be empty, what it
//   begins and ends with, what stands before and behind it.
//
// EXAMPLE   start: A b   b: C | D C      before C: A and D; behind C: nothing
//
// COST      nodes * symbols / 64, times the few rounds that the fixpoints take.
// SEE ALSO  Aho, Lam, Sethi, Ullman, section 4.4 (FIRST and FOLLOW)
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "frontends/lark/terminals.h"

namespace xg2lab::lark {

// A set of small numbers.
class SymbolSet {
 public:
  explicit SymbolSet(size_t n_symbols = 0) : words_((n_symbols + 63) / 64) {}
  bool has(size_t symbol) const { return (words_[symbol / 64] >> (symbol % 64) & 1) != 0; }
  void add(size_t symbol) { words_[symbol / 64] |= uint64_t{1} << (symbol % 64); }
  void remove(size_t symbol) { words_[symbol / 64] &= ~(uint64_t{1} << (symbol % 64)); }
  // Whether anything was new.
  bool add(const SymbolSet& other) {
    bool is_new = false;
    for (size_t i = 0; i < words_.size(); ++i) {
      is_new = is_new || (other.words_[i] & ~words_[i]) != 0;
      words_[i] |= other.words_[i];
    }
    return is_new;
  }
  bool intersects(const SymbolSet& other) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (size_t bit = 0; bit < 64 && words_[i] >> bit != 0; ++bit) {
        if ((words_[i] >> bit & 1) != 0) visit(i * 64 + bit);
      }
    }
  }
  friend bool operator==(const SymbolSet&, const SymbolSet&) = default;
  friend auto operator<=>(const SymbolSet&, const SymbolSet&) = default;

 private:
  std::vector<uint64_t> words_;
};

enum class LeafKind : uint8_t {
  kNone,      // the node has children, or is empty
  kRule,      // a reference to a rule
  kTerminal,  // the lexer reads it
  kOpaque,    // a token, a substring, a grammar of its own
};

struct Leaf {
  LeafKind kind = LeafKind::kNone;
  size_t index =
      0;  // the rule's, among all definitions; the terminal's; of opaque ones a number of its own
};

// Symbols: terminals, then opaque leaves, then one for the beginning of the text.
struct Neighbours {
  size_t n_terminals = 0;
  size_t n_opaque = 0;
  std::vector<Leaf> leaves;        // index: NodeId
  std::vector<bool> may_be_empty;  // index: NodeId
  std::vector<SymbolSet> first;    // index: NodeId
  std::vector<SymbolSet>
      before;  // index: NodeId, of leaves; with start() if nothing may be before it
  std::vector<SymbolSet> follow;  // index: symbol, and start(): what may stand behind it
  SymbolSet at_end;               // what the text may end with

  size_t n_symbols() const { return n_terminals + n_opaque + 1; }
  size_t start() const { return n_symbols() - 1; }
};

struct LeavesContext {
  const Tree& tree;
  const Resolved& resolved;
  const Terminals& terminals;
  const std::vector<bool>& is_used;  // index: definition
  NodeId root;                       // a reference to the rule that a text is
};

// `leaves` (index: NodeId) says what stands at each node of the rules' bodies.
Neighbours find_neighbours(const LeavesContext& context, std::vector<Leaf> leaves, size_t n_opaque,
                           const std::function<bool(NodeId)>& opaque_may_be_empty);

}  // namespace xg2lab::lark
