// Compares the texts that may follow a rule with an assertion; finds the shortest text that breaks
// it.
//
// Twin:  xg2lab/reference/lookahead.py
// Tests: tests/core/test_lookahead.py
//
// IDEA
//   After a rule comes the rest of the body that uses it, then whatever follows the calling rule,
//   and so on up to the end of the output. These texts are a context-free language; the texts that
//   satisfy an assertion are a regular one. So it is decidable whether all of them satisfy it: the
//   walk follows grammar and assertion machine in lockstep, byte by byte. Each pair (continuation,
//   state) is visited once.
//
//   A called rule is walked once for each assertion state in which it is entered. Its results (the
//   states in which it may end, each with the shortest text) are given to every caller that waits
//   for them. All walks share one agenda ordered by length, so the first break found is a shortest
//   one.
//
//   root ::= a "x" | b   a ::= "1" (= "x")   b ::= "2" a       broken: after `a` ends within `b`,
//                                                              the output may end
//
// INVARIANTS
//   I1  a node taken from the agenda has its shortest text (the agenda is ordered by length within
//       a walk, and no walk's result is shorter than its parts: Knuth 1977)
//
// COST      O(continuations x states), charged to the budget.   THREADS  one owner.
// SEE ALSO  Bar-Hillel, Perles and Shamir 1961 (intersection with a regular language); Knuth 1977,
//           "A generalization of Dijkstra's algorithm".
#pragma once

#include <map>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "checks/assertion.h"

namespace xg2lab::checks {

// The uses of each rule, over all rules that the root needs. The continuation after each caller is
// kNothingLeft.
struct UseTable {
  UseTable(const Grammar& grammar, const analysis::RuleGraph& graph, Continuations& continuations);
  std::vector<std::vector<Use>> of;  // index: RuleId of the callee
};

// A text that may follow a rule but breaks its assertion.
struct Break {
  std::vector<Use> uses;  // the use before the text, then that of the caller that ended there, ...
  std::string text;       // whole characters if the grammar has them; a token edge as Token(5)
  bool is_end = false;    // the output may end after `text`, before the assertion is satisfied
};

class FollowWalk {
 public:
  // All arguments by reference must outlive it.
  FollowWalk(const Grammar& grammar, const UseTable& uses, Continuations& continuations,
             Assertion& assertion, StepBudget& budget);

  // A shortest break after any use of `rule`, or at the end of the output if `rule` is the root.
  // Nothing if there is none or if the budget is spent.
  std::optional<Break> find_break(RuleId rule);
  // The same for a single use.
  std::optional<Break> find_break(const Use& use);

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  // One walk: above the rule in question (`follows`, one for each caller), or within a called rule.
  using WalkKey = std::tuple<bool, RuleId, AssertionState>;
  struct Waiting {
    uint32_t node;
    ContinuationId after;
  };
  struct Walk {
    bool follows;
    RuleId rule;
    std::map<AssertionState, uint32_t> results;  // of a called rule: the node where it ended
    std::vector<Waiting> waiting;
  };
  struct Node {
    uint32_t walk;
    ContinuationId rest;
    AssertionState state;
    uint32_t n_bytes = 0;               // of the shortest text from the walk's start to here
    uint32_t from = kNone;              // the previous node
    uint32_t called = kNone;            // step from there: the result of a called rule,
    const Use* use = nullptr;           // the end of a caller, returning to this use of it,
    std::optional<uint8_t> byte = {};   // a byte,
    std::optional<TokenId> token = {};  // or a token
    bool is_done = false;
  };
  struct NodeKey {
    uint32_t walk;
    ContinuationId rest;
    AssertionState state;
    friend bool operator==(const NodeKey&, const NodeKey&) = default;
  };
  struct NodeKeyHash {
    size_t operator()(const NodeKey& key) const noexcept;
  };

  void clear();
  uint32_t walk_of(bool follows, RuleId rule, AssertionState state);
  void add(const Node& node);
  std::optional<Break> run();
  std::optional<Break> end_of_caller(uint32_t at);
  void finish_call(uint32_t at);
  void read_bytes(uint32_t at, const Steps::Bytes& step);
  void read_token(uint32_t at, const Steps::Token& step);
  void call(uint32_t at, const Steps::Call& step);
  void resume(const Waiting& waiting, uint32_t result);
  Break describe(uint32_t at);
  void complete_character(std::string& text, ContinuationId rest);

  const Grammar& grammar_;
  const UseTable& uses_;
  Continuations& continuations_;
  Assertion& assertion_;
  StepBudget& budget_;

  std::vector<Node> nodes_;
  std::unordered_map<NodeKey, uint32_t, NodeKeyHash> known_nodes_;
  std::vector<Walk> walks_;
  std::map<WalkKey, uint32_t> known_walks_;
  // Shortest first; among equal lengths the node found first.
  std::priority_queue<std::pair<uint32_t, uint32_t>, std::vector<std::pair<uint32_t, uint32_t>>,
                      std::greater<>>
      agenda_;
  Steps steps_;
};

}  // namespace xg2lab::checks
