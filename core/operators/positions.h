// The active positions of a tree of operators: the possible continuations of a text.
//
// Twin:  xg2lab/reference/operators.py
// Tests: tests/core/test_operators.py, tests/differential/test_operator_tree.py
//
// IDEA
//   A position is a leaf of the tree, the leaf's state, and for each DoWhile around the leaf the
//   repetition that is running. The possible continuations depend on nothing else of the text.
//   Three operations make all positions:
//
//     enter    an operator: the positions before its first byte; behind a part that may be empty,
//              those of the next part
//     advance  a position by a byte: its leaf continues, or has ended
//     leave    an operator that has ended: enter what comes next in a Sequence; a DoWhile repeats,
//              or is left, or both
//
// EXAMPLE   root ::= "<" name{1,2} ">"   name ::= [a-z]+ ";"   after "<a;": the class of the second
//           name, with the counts 2 (of name{1,2}) and 1; and the literal ">".
//
// COUNTS    Repetitions are numbered from 1. Positions that differ in the number of one DoWhile
//   alone are one position with an interval, if their windows touch: number k of {m,n} may end
//   after m - k to n - k more repetitions. From m on the smallest number represents all larger
//   ones; without n the largest number represents all, and need not grow beyond m.
//
// REPRESENTATION
//   The state of a Write is the number of bytes written. The state of a Wait is a state of its
//   machine: of a class, of watched text, of a regular language. The state of a Wait for a shortest
//   match is the number of a set of positions within it.
//
// INVARIANTS
//   I1  an Active is sorted, and no two of its positions can be united
//   I2  each position can reach the end
//
// COST      a byte: the active positions, and what they enter. It does not depend on the text's
//           length, but for bodies whose lengths leave gaps: ("aa" | "aaaaa"){50000}.
// THREADS   a Positions belongs to one thread; its tree is shared.
// SEE ALSO  Glushkov 1961; Antimirov 1996; parse/counts.h, the same sets of numbers.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "automata/fsm.h"
#include "dispatch/dispatch_facts.h"
#include "operators/operator_tree.h"

namespace xg2lab::operators {

// Numbers of repetitions, both included.
struct Interval {
  uint32_t low = 1;
  uint32_t high = 1;
  friend auto operator<=>(const Interval&, const Interval&) = default;
};

struct Position {
  OperatorId leaf;  // kEnd: behind the root
  uint32_t state = 0;
  std::vector<Interval> counts;  // of the DoWhiles around the leaf, outermost first

  static constexpr OperatorId kEnd{UINT32_MAX};
  bool is_end() const { return leaf == kEnd; }
  friend auto operator<=>(const Position&, const Position&) = default;
};

using Active = std::vector<Position>;

// The machine of a Wait, made when a text first reaches it.
struct LeafMachine {
  FrozenFsm fsm;        // its rule edges name children
  DispatchFacts facts;  // of watched text
};

class Positions {
 public:
  explicit Positions(std::shared_ptr<const OperatorTree> tree) : tree_(std::move(tree)) {}

  const OperatorTree& tree() const { return *tree_; }

  // The positions before the first byte.
  Active start() { return start(OperatorId(0u)); }
  // The positions after one more byte; none: the byte can't come next.
  Active advance(const Active& active, uint8_t byte) {
    return advance(active, byte, OperatorId(0u));
  }
  // The positions behind the token edges among `active` that take the token.
  Active crossed(const Active& active, std::optional<TokenId> token);
  // The positions after a token: after its bytes, if it is text, and behind the token edges.
  Active after_token(const Active& active, TokenId token, std::string_view bytes, bool is_text);

  // The tokens that a position takes whole; null: it takes bytes.
  const TokenSet* tokens(const Position& position) const;
  // The bytes that a position takes.
  std::vector<ByteRange> bytes(const Position& position);
  // The DoWhiles around a leaf, outermost first, up to `root`: the tree's, or the child of a Wait
  // for a shortest match.
  std::vector<OperatorId> loops(OperatorId leaf, OperatorId root = OperatorId(0u)) const;
  // The numbers of a DoWhile behind which it allows something else than before: the first, the
  // bound `least` and the number behind it, and the bound `most`.
  std::vector<Interval> decisive_numbers(OperatorId loop) const;
  // The positions at the beginning of a leaf, with the counts of the DoWhiles around it.
  Active at_leaf(OperatorId leaf, std::vector<Interval> counts);

  // Of a Wait for a shortest match: the positions within it.
  const Active& within(const Position& position) const { return *inner_[position.state]; }
  // Of a Wait for watched text: the end of the text so far that begins a watched text.
  std::string_view watched(const Position& position);

 private:
  using Counts = std::vector<Interval>;

  Active start(OperatorId root);
  Active advance(const Active& active, uint8_t byte, OperatorId root);
  void after(const Position& position, uint8_t byte, OperatorId root, Active& found);
  void after_machine(const Position& position, uint8_t byte, OperatorId root, Active& found);
  void after_shortest(const Position& position, uint8_t byte, OperatorId root, Active& found);
  void enter(OperatorId id, Counts counts, Active& found);
  void leave(OperatorId id, Counts counts, OperatorId root, Active& found);
  // Enters the children of a Sequence from `place` on, up to the first that can't be empty. Whether
  // none of them must have a byte.
  bool enter_rest(OperatorId sequence, size_t place, const Counts& counts, Active& found);
  uint32_t first_state(OperatorId leaf);
  Active united(Active positions, OperatorId root) const;
  std::optional<Position> joined(const Position& a, const Position& b,
                                 const std::vector<OperatorId>& loops) const;
  uint32_t number_of(Active inner);
  const LeafMachine& machine(OperatorId leaf);
  LeafMachine made_machine(OperatorId leaf) const;

  const std::shared_ptr<const OperatorTree> tree_;
  std::map<ExprId, LeafMachine> machines_;
  std::map<Active, uint32_t> numbers_;  // of sets within Waits for shortest matches
  std::vector<const Active*> inner_;    // index: their numbers
};

}  // namespace xg2lab::operators
