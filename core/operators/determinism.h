// Whether a tree of operators is deterministic, and how many positions a text can make active.
//
// Twin:  xg2lab/reference/determinism.py
// Tests: tests/core/test_operators.py, tests/differential/test_operator_tree.py
//
// IDEA
//   A tree is deterministic if no byte (and no token edge) is ever taken by two active positions: a
//   text then has one way through the tree. All sets of positions that texts lead to are visited,
//   as in the subset construction. A deterministic tree has few: each byte is taken by one
//   position. Other trees may have exponentially many, and a bound such as {1,900} makes 900. So
//   the search has limits. Beyond them a test decides that follows no text: it looks at each leaf
//   with the numbers of repetitions at which a bound begins or ends to matter. If the test finds
//   no rivals, there are none; if it finds some, a text may still not lead to them, and the answer
//   is "unknown".
//
// EXAMPLE   ("a" | "b")* "c"     deterministic, at most 3 active
//           [ab]* "a" [ab]       not: both [ab] and "a" take an "a"
//
// COST      sets x positions x byte ranges, up to DeterminismLimits. The test beyond them: leaves x
//           up to four numbers for each DoWhile around the leaf, up to the same limit of words.
// SEE ALSO  Brüggemann-Klein and Wood 1998, "One-unambiguous regular languages".
#pragma once

#include <memory>
#include <optional>

#include "operators/operator_tree.h"
#include "operators/positions.h"

namespace xg2lab::operators {

struct DeterminismLimits {
  size_t n_sets = 10'000;
  size_t n_words = 200'000;  // of all sets together: their positions, and the counts of each
};

struct Determinism {
  // Nothing: the search met its limits before it found rivals, and the test is no proof.
  std::optional<bool> is_deterministic;
  std::optional<size_t> most_active;  // nothing: there are more sets than the limits allow
  // Two leaves that take the same byte or token at once; set if not deterministic.
  std::optional<std::pair<OperatorId, OperatorId>> rivals;
};

Determinism analyze(std::shared_ptr<const OperatorTree> tree, const DeterminismLimits& limits = {});

}  // namespace xg2lab::operators
