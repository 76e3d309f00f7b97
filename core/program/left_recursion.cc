// Read: left_calls (the edges of the graph for one rule), then the depth-first search for a cycle,
// on an explicit stack.
#include "program/left_recursion.h"

#include <algorithm>
#include <utility>

namespace xg2lab {
namespace {

// The rules that `rule` may call before it has consumed a byte.
std::vector<RuleId> left_calls(const Program& program, RuleId rule) {
  std::vector<StateId> reached{program.rule(rule).start()};
  std::vector<RuleId> calls;
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const CallEdge& edge : program.calls(reached[i])) {
      calls.push_back(edge.rule);
      const bool is_new = std::find(reached.begin(), reached.end(), edge.to) == reached.end();
      if (program.rule(edge.rule).is_nullable && is_new) reached.push_back(edge.to);
    }
  }
  std::sort(calls.begin(), calls.end());
  calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
  return calls;
}

struct Visit {
  RuleId rule;
  std::vector<RuleId> calls;
  size_t next = 0;
};

}  // namespace

std::vector<RuleId> find_left_recursion(const Program& program) {
  enum class Seen : uint8_t { kNot, kOpen, kDone };
  std::vector<Seen> seen(program.n_rules(), Seen::kNot);
  for (size_t r = 0; r < program.n_rules(); ++r) {
    if (seen[r] != Seen::kNot) continue;
    seen[r] = Seen::kOpen;
    std::vector<Visit> path{{RuleId(r), left_calls(program, RuleId(r))}};
    while (!path.empty()) {
      Visit& top = path.back();
      if (top.next == top.calls.size()) {
        seen[top.rule.index()] = Seen::kDone;
        path.pop_back();
        continue;
      }
      const RuleId callee = top.calls[top.next++];
      if (seen[callee.index()] == Seen::kDone) continue;
      if (seen[callee.index()] == Seen::kNot) {
        seen[callee.index()] = Seen::kOpen;
        path.push_back({callee, left_calls(program, callee)});
        continue;
      }
      std::vector<RuleId> cycle;
      const auto first = std::find_if(path.begin(), path.end(),
                                      [&](const Visit& visit) { return visit.rule == callee; });
      for (auto it = first; it != path.end(); ++it) cycle.push_back(it->rule);
      cycle.push_back(callee);
      return cycle;
    }
  }
  return {};
}

}  // namespace xg2lab
