// A lookahead assertion as a deterministic machine, made state by state as it is asked for.
//
// Tests: tests/core/test_lookahead.py
//
// IDEA
//   A text keeps the promise if one of its beginnings matches the assertion. So a state is the set
//   of continuations of the assertion after the bytes so far (subset construction); once one of
//   them is used up, all is well whatever comes (kKept), and once none is left nothing can help
//   (kBroken).
//
//   Rules that the assertion needs are written into it. One that refers to itself is followed as
//   Mohri and Nederhof do: within a group of rules that need each other, the end of a rule goes on
//   after *any* of the group's references to it. That is exact where all references in the group
//   stand at the ends of bodies, or all at their beginnings:
//
//   list ::= "x" | "x," list     exact
//   nest ::= "x" | "(" nest ")"  not: the machine also takes "(x))". It takes everything that `nest`
//                                matches, so what it calls broken is broken.
//
//   The other machine errs to the other side: `Recursion::kLetters` takes such a rule for a letter
//   of its own. What it calls kept is kept: "]" nest follows, and (= "]" nest) was promised.
//
// COST      as subset construction; every step is charged to the budget.   THREADS  one owner.
// SEE ALSO  Mohri and Nederhof 2001, "Regular approximation of context-free grammars through
//           transformation".
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/rule_graph.h"
#include "checks/continuation.h"
#include "support/budget.h"

namespace xg2lab::checks {

// Steps that may still be taken.
struct StepBudget {
  size_t n_left = 0;
  bool is_spent = false;
  bool spend() {
    count_work("check_lookaheads", 4);
    if (n_left == 0) is_spent = true;
    else --n_left;
    return !is_spent;
  }
};

// The groups of rules that need each other, and which of them a machine can follow exactly.
struct RecursionGroups {
  RecursionGroups(const Grammar& grammar, const analysis::RuleGraph& graph,
                  Continuations& continuations);

  bool share(RuleId a, RuleId b) const { return group[a.index()] == group[b.index()]; }

  std::vector<uint32_t> group;               // index: RuleId
  std::vector<bool> is_recursive;            // index: RuleId
  std::vector<bool> is_linear;               // index: group. All at ends, or all at beginnings
  std::vector<std::vector<RuleId>> members;  // index: group
};

enum class Recursion : uint8_t {
  kMore,     // the machine takes all that the assertion matches, perhaps more
  kLetters,  // rules it can't follow exactly are letters
};

using AssertionState = Id<struct AssertionStateTag>;
constexpr AssertionState kKept{0u};
constexpr AssertionState kBroken{1u};

class Assertion {
 public:
  // All that is referred to must outlive it.
  Assertion(const Grammar& grammar, const RecursionGroups& groups, Continuations& continuations,
            StepBudget& budget, ExprId expr, Recursion recursion);

  AssertionState start();
  AssertionState step(AssertionState state, uint8_t byte);
  AssertionState step(AssertionState state, TokenId token);
  AssertionState step(AssertionState state, RuleId letter);
  // Tokens of a set, one at least for each state that a token of it leads to. `state` is neither kKept nor kBroken.
  std::vector<TokenId> tokens_told_apart(AssertionState state, const TokenSet& among) const;
  // Whether the rule is to be read as one letter.
  bool is_letter(RuleId rule) const;

 private:
  static constexpr uint32_t kNotYet = UINT32_MAX;
  struct State {
    std::vector<Steps::Bytes> bytes;
    std::vector<Steps::Token> tokens;
    std::vector<Steps::Call> letters;
    std::array<uint32_t, 256> next;  // kNotYet, or an AssertionState
  };
  // A group entered from outside by `rule`: its rules' ends are marks that know the entry.
  struct Entry {
    RuleId rule;
    ContinuationId after;
    std::vector<Use> uses;
  };
  struct MarkedEnd {
    RuleId rule;
    size_t entry;
  };

  AssertionState intern(std::vector<ContinuationId> pending);
  ContinuationId enter(RuleId rule, ContinuationId after);
  void leave(Mark mark, std::vector<ContinuationId>& pending) const;
  ContinuationId end_of(RuleId rule, size_t entry);

  const Grammar& grammar_;
  const RecursionGroups& groups_;
  Continuations& continuations_;
  StepBudget& budget_;
  ExprId expr_;
  Recursion recursion_;
  std::vector<bool> is_needed_;  // index: RuleId. In the assertion, directly or through others
  std::vector<std::unique_ptr<State>> states_;
  std::map<std::vector<ContinuationId>, AssertionState> known_;
  std::vector<Entry> entries_;
  std::map<std::pair<RuleId, ContinuationId>, size_t> known_entries_;
  std::vector<MarkedEnd> ends_{{}};  // index: Mark; kNoMark is none
  std::map<std::pair<size_t, RuleId>, Mark> known_ends_;
  Steps steps_;
};

// The rules that an expression needs, directly or through others; index: RuleId.
std::vector<bool> needed_rules(const Grammar& grammar, ExprId expr);

}  // namespace xg2lab::checks
