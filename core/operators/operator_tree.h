// The tree of operators of a grammar without recursion: Write, Wait, IfElse, Sequence, DoWhile.
//
// Twin:  xg2lab/reference/operator_tree.py
// Tests: tests/core/test_operators.py, tests/differential/test_operator_tree.py
//
// IDEA
//   A rule is expanded at each of its call sites. Each operator then has one position, so its
//   continuation is known from the tree alone, without a stack of calls. The tree is made on
//   request, for views and messages (docs/design/0041): no decode step reads it.
//
//     Write     bytes, or one token by its id
//     Wait      a character of a class, a token of a set, text watched for tags (their rules are
//               its children), text of a regular language, or the shortest match of its child
//     IfElse    one of its children
//     Sequence  all of its children, in turn
//     DoWhile   its child, `least` to `most` times
//
// EXAMPLE
//   root ::= number ("." number)*     0  Sequence
//   number ::= [0-9]+                 1    DoWhile min=1
//                                     2      Wait allows=[0-9]
//                                     3    DoWhile min=0
//                                     4      Sequence
//                                     5        Write "."
//                                     6        DoWhile min=1
//                                     7          Wait allows=[0-9]
//
// INVARIANTS
//   I1  numbers are in depth-first order: an operator's number is smaller than its descendants'
//   I2  a Sequence has at least two children, and none of them is a Write of no bytes
//   I3  a DoWhile whose child may match the empty string has the bound `least` = 0
//   I4  every operator matches some text
//
// COST      linear in the operators, of which a grammar may have exponentially many: a limit.
// THREADS   immutable.
// NOT HERE  running a text through the tree: positions.h.
// SEE ALSO  WGrammar, section 3.2.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/grammar.h"

namespace xg2lab::operators {

enum class OperatorKind : uint8_t { kWrite, kWait, kIfElse, kSequence, kDoWhile };

// What a leaf reads, or what a Wait with children waits for.
enum class Reads : uint8_t {
  kNothing,   // the operator is no leaf
  kBytes,     // Write: the expression's literal, or no bytes
  kTokens,    // Write of one token, Wait for a token of a set
  kClass,     // Wait: one character
  kWatched,   // Wait: free text up to a watched text
  kMachine,   // Wait: a text of the expression's regular language
  kShortest,  // Wait: the shortest match of the only child
};

using OperatorId = Id<struct OperatorTag>;

struct Operator {
  OperatorKind kind = OperatorKind::kWrite;
  Reads reads = Reads::kNothing;
  bool is_nullable = false;
  RuleId rule;  // in whose body the operator is written
  // The expression that the operator was made from. kShortest: the lazy rule's body.
  ExprId expr;
  uint32_t parent = 0;  // of the root: itself
  uint32_t place = 0;   // among the parent's children
  uint32_t first_child = 0;
  uint32_t n_children = 0;
  uint32_t least = 0;  // kDoWhile
  uint32_t most = 0;   // kDoWhile; kNoUpperBound: no limit
};

class OperatorTree {
 public:
  const Grammar& grammar() const { return *grammar_; }
  size_t size() const { return operators_.size(); }
  const Operator& at(OperatorId id) const { return operators_[id.index()]; }
  std::span<const OperatorId> children(OperatorId id) const {
    const Operator& of = at(id);
    return std::span<const OperatorId>(children_).subspan(of.first_child, of.n_children);
  }
  SourceSpan span(OperatorId id) const { return grammar_->expr(at(id).expr).span; }
  // The bytes of a Write of bytes.
  std::string_view bytes(OperatorId id) const;
  // The hole of the template that the operator was made from; null: none.
  const FilledHole* hole(OperatorId id) const;
  // A JSON Pointer to the argument that the operator was made from, or else to the element of a
  // list that its rule was written for; nothing if there is neither.
  std::optional<std::string> argument(OperatorId id) const;

 private:
  friend class TreeBuilder;
  std::shared_ptr<const Grammar> grammar_;
  std::vector<Operator> operators_;
  std::vector<OperatorId> children_;
};

constexpr size_t kUsualMostOperators = 100'000;

// The tree of a grammar from `prepared` (prepare.h). Throws UnsupportedError for recursion, members
// in any order, max_tokens and max_chars, with all places at once; LimitError for more than
// `most_operators`.
OperatorTree build_tree(std::shared_ptr<const Grammar> grammar,
                        size_t most_operators = kUsualMostOperators);

}  // namespace xg2lab::operators
