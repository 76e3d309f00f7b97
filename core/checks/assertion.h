// A lookahead assertion as a deterministic machine, built lazily state by state.
//
// Tests: tests/core/test_lookahead.py
//
// IDEA
//   A text satisfies the assertion if some prefix of the text matches it. A state is the set of
//   continuations of the assertion after the bytes so far (subset construction). Once a
//   continuation is empty, the assertion holds whatever follows (kKept); once the set is empty, it
//   fails (kBroken).
//
//   The rules that the assertion needs are inlined into the machine. Recursion is approximated as
//   by Mohri and Nederhof: within a component of mutually recursive rules, the end of a rule
//   continues after *any* of the component's references to it. This is exact if all references
//   within the component stand at the ends of bodies, or all at their beginnings:
//
//   list ::= "x" | "x," list     exact
//   nest ::= "x" | "(" nest ")"  not exact: the machine also accepts "(x))". It accepts a superset
//                                of `nest`, so its verdict kBroken is certain.
//
//   The other approximation errs in the other direction: `Recursion::kLetters` treats such a rule
//   as a letter. Its verdict kKept is certain, as when "]" nest follows and (= "]" nest) was
//   promised.
//
// COST      that of subset construction; every step is charged to the budget.   THREADS  one owner.
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

// The number of steps that may still be taken.
struct StepBudget {
  size_t n_left = 0;
  bool is_spent = false;
  bool spend() {
    count_work("checking lookaheads", 4);
    if (n_left == 0) is_spent = true;
    else --n_left;
    return !is_spent;
  }
};

// The components of mutually recursive rules, and which of them a machine can represent exactly.
struct RecursionGroups {
  RecursionGroups(const Grammar& grammar, const analysis::RuleGraph& graph,
                  Continuations& continuations);

  bool share(RuleId a, RuleId b) const { return group[a.index()] == group[b.index()]; }

  std::vector<uint32_t> group;     // index: RuleId; its component
  std::vector<bool> is_recursive;  // index: RuleId
  std::vector<bool> is_linear;     // index: group. References all at ends, or all at beginnings
  std::vector<std::vector<RuleId>> members;  // index: group
};

enum class Recursion : uint8_t {
  kMore,     // the machine accepts a superset of the assertion
  kLetters,  // rules that can't be represented exactly are letters
};

using AssertionState = Id<struct AssertionStateTag>;
constexpr AssertionState kKept{0u};
constexpr AssertionState kBroken{1u};

class Assertion {
 public:
  // All arguments by reference must outlive it.
  Assertion(const Grammar& grammar, const RecursionGroups& groups, Continuations& continuations,
            StepBudget& budget, ExprId expr, Recursion recursion);

  AssertionState start();
  AssertionState step(AssertionState state, uint8_t byte);
  AssertionState step(AssertionState state, TokenId token);
  AssertionState step(AssertionState state, RuleId letter);
  // At least one token of the set for each state that a token of the set leads to. `state` must be
  // neither kKept nor kBroken.
  std::vector<TokenId> tokens_told_apart(AssertionState state, const TokenSet& among) const;
  // Whether the rule counts as one letter.
  bool is_letter(RuleId rule) const;

 private:
  static constexpr uint32_t kNotYet = UINT32_MAX;
  struct State {
    std::vector<Steps::Bytes> bytes;
    std::vector<Steps::Token> tokens;
    std::vector<Steps::Call> letters;
    std::array<uint32_t, 256> next;  // kNotYet, or an AssertionState
  };
  // A component entered from outside through `rule`: the marks at its rules' ends identify the
  // entry.
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
  std::vector<bool> is_needed_;  // index: RuleId. Used in the assertion, directly or through others
  std::vector<std::unique_ptr<State>> states_;
  std::map<std::vector<ContinuationId>, AssertionState> known_;
  std::vector<Entry> entries_;
  std::map<std::pair<RuleId, ContinuationId>, size_t> known_entries_;
  std::vector<MarkedEnd> ends_{{}};  // index: Mark; 0 is kNoMark
  std::map<std::pair<size_t, RuleId>, Mark> known_ends_;
  Steps steps_;
};

// The rules that an expression needs, directly or through others; index: RuleId.
std::vector<bool> needed_rules(const Grammar& grammar, ExprId expr);

}  // namespace xg2lab::checks
