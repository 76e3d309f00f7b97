// Read: walk_calls (depth first, on an explicit stack), which both questions share.
#include "program/call_tree.h"

#include <algorithm>
#include <limits>

namespace xg2lab {
namespace {

// All calls of a rule, in the order of its states.
std::vector<RuleCall> calls_of_rule(const Program& program, RuleId rule) {
  std::vector<RuleCall> calls;
  const ProgramRule& of = program.rule(rule);
  for (uint32_t i = 0; i < of.n_states; ++i) {
    for (const CallEdge& edge : program.calls(StateId(of.first_state + i)))
      calls.push_back({rule, edge.rule, edge.origins});
  }
  return calls;
}

struct OpenRule {
  RuleId rule;
  std::vector<RuleCall> calls;
  size_t next = 0;
};

// done(rule, calls) for each rule that the root leads to, after all rules that it calls. Returns
// the calls of the first cycle and stops there; empty if there is none.
template <class Done>
std::vector<RuleCall> walk_calls(const Program& program, Done done) {
  enum class Seen : uint8_t { kNot, kOpen, kDone };
  std::vector<Seen> seen(program.n_rules(), Seen::kNot);
  std::vector<OpenRule> path{{program.root(), calls_of_rule(program, program.root())}};
  seen[program.root().index()] = Seen::kOpen;
  while (!path.empty()) {
    OpenRule& top = path.back();
    if (top.next == top.calls.size()) {
      seen[top.rule.index()] = Seen::kDone;
      done(top.rule, top.calls);
      path.pop_back();
      continue;
    }
    const RuleId callee = top.calls[top.next++].to;
    if (seen[callee.index()] == Seen::kDone) continue;
    if (seen[callee.index()] == Seen::kNot) {
      seen[callee.index()] = Seen::kOpen;
      path.push_back({callee, calls_of_rule(program, callee)});
      continue;
    }
    auto first = std::ranges::find(path, callee, &OpenRule::rule);
    std::vector<RuleCall> cycle;
    for (; first != path.end(); ++first) cycle.push_back(first->calls[first->next - 1]);
    return cycle;
  }
  return {};
}

}  // namespace

std::vector<RuleCall> find_recursion(const Program& program) {
  return walk_calls(program, [](RuleId, const std::vector<RuleCall>&) {});
}

CallTreeSize call_tree_size(const Program& program) {
  constexpr size_t kMost = std::numeric_limits<size_t>::max();
  std::vector<size_t> n_nodes(program.n_rules(), 0);
  std::vector<RuleId> largest(program.n_rules());  // the called rule with the most nodes, or itself
  walk_calls(program, [&](RuleId rule, const std::vector<RuleCall>& calls) {
    size_t n = 1;
    largest[rule.index()] = rule;
    for (const RuleCall& call : calls) {
      const size_t below = n_nodes[call.to.index()];
      n = below > kMost - n ? kMost : n + below;
      const RuleId most = largest[rule.index()];
      if (most == rule || below > n_nodes[most.index()]) largest[rule.index()] = call.to;
    }
    n_nodes[rule.index()] = n;
  });
  CallTreeSize size{n_nodes[program.root().index()], {program.root()}};
  for (RuleId at = program.root(); largest[at.index()] != at;) {
    at = largest[at.index()];
    size.largest.push_back(at);
  }
  return size;
}

}  // namespace xg2lab
