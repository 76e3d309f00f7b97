// References in text order, Tarjan's components, reachability. Read: collect_references, then
// Tarjan::visit. The trick: both walks use explicit stacks, since a chain of a million rules must
// not overflow the call stack.
#include "analysis/rule_graph.h"

#include <algorithm>
#include <utility>

#include "grammar/walk.h"

namespace xg2lab::analysis {
namespace {

constexpr uint32_t kUnvisited = UINT32_MAX;

// All references within one expression, leftmost first. A shared node is visited once.
void collect_references(const Grammar& grammar, ExprId root, std::vector<uint32_t>& visited_by,
                        uint32_t visitor, std::vector<ExprId>& out, std::vector<ExprId>& pending) {
  const auto is_new = [&](ExprId id) {
    return std::exchange(visited_by[id.index()], visitor) != visitor;
  };
  const auto note = [&](ExprId id) {
    if (grammar.expr(id).kind == ExprKind::kRuleRef) out.push_back(id);
  };
  for_each_expr(grammar, root, is_new, note, pending);
}

class Tarjan {
 public:
  Tarjan(const Grammar& grammar, RuleGraph& graph)
      : grammar_(grammar),
        graph_(graph),
        number_(grammar.n_rules(), kUnvisited),
        lowest_(grammar.n_rules()),
        is_open_(grammar.n_rules()) {
    graph_.component.resize(grammar.n_rules());
    graph_.is_recursive.resize(grammar.n_rules());
  }

  void visit(RuleId start) {
    if (number_[start.index()] != kUnvisited) return;
    enter(start);
    while (!path_.empty()) {
      const RuleId rule = path_.back().rule;
      const auto references = graph_.references(rule);
      if (path_.back().next == references.size()) {
        leave(rule);
        continue;
      }
      const RuleId callee = grammar_.rule_ref(references[path_.back().next++]);
      if (callee == rule) graph_.is_recursive[rule.index()] = true;
      if (number_[callee.index()] == kUnvisited) {
        enter(callee);
      } else if (is_open_[callee.index()]) {
        lowest_[rule.index()] = std::min(lowest_[rule.index()], number_[callee.index()]);
      }
    }
  }

 private:
  struct Visit {
    RuleId rule;
    size_t next;
  };

  void enter(RuleId rule) {
    number_[rule.index()] = lowest_[rule.index()] = n_visited_++;
    is_open_[rule.index()] = true;
    open_.push_back(rule);
    path_.push_back({rule, 0});
  }

  void leave(RuleId rule) {
    path_.pop_back();
    if (!path_.empty()) {
      uint32_t& above = lowest_[path_.back().rule.index()];
      above = std::min(above, lowest_[rule.index()]);
    }
    if (lowest_[rule.index()] != number_[rule.index()]) return;
    const bool is_alone = open_.back() == rule;
    RuleId member;
    do {
      member = open_.back();
      open_.pop_back();
      is_open_[member.index()] = false;
      graph_.component[member.index()] = n_components_;
      if (!is_alone) graph_.is_recursive[member.index()] = true;
      graph_.callees_first.push_back(member);
    } while (member != rule);
    ++n_components_;
  }

  const Grammar& grammar_;
  RuleGraph& graph_;
  std::vector<uint32_t> number_;
  std::vector<uint32_t> lowest_;
  std::vector<bool> is_open_;
  std::vector<RuleId> open_;
  std::vector<Visit> path_;
  uint32_t n_visited_ = 0;
  uint32_t n_components_ = 0;
};

}  // namespace

RuleGraph::RuleGraph(const Grammar& grammar) : reference_begins{0} {
  std::vector<uint32_t> visited_by(grammar.n_exprs(), kUnvisited);
  std::vector<ExprId> pending;
  reference_begins.reserve(grammar.n_rules() + 1);
  for (size_t i = 0; i < grammar.n_rules(); ++i) {
    collect_references(grammar, grammar.rule(RuleId(i)).body, visited_by, static_cast<uint32_t>(i),
                       reference_table, pending);
    reference_begins.push_back(static_cast<uint32_t>(reference_table.size()));
  }
  Tarjan tarjan(grammar, *this);
  for (size_t i = 0; i < grammar.n_rules(); ++i) tarjan.visit(RuleId(i));
}

std::vector<bool> reachable_rules(const Grammar& grammar) {
  std::vector<bool> reached(grammar.n_rules());
  std::vector<uint32_t> visited_by(grammar.n_exprs(), kUnvisited);
  std::vector<ExprId> references;
  std::vector<ExprId> pending_exprs;
  std::vector<RuleId> pending{grammar.root()};
  reached[grammar.root().index()] = true;
  while (!pending.empty()) {
    const Rule& rule = grammar.rule(pending.back());
    pending.pop_back();
    references.clear();
    collect_references(grammar, rule.body, visited_by, 0, references, pending_exprs);
    if (rule.lookahead)
      collect_references(grammar, *rule.lookahead, visited_by, 0, references, pending_exprs);
    const auto reach = [&](RuleId reachable) {
      if (reached[reachable.index()]) return;
      reached[reachable.index()] = true;
      pending.push_back(reachable);
    };
    for (ExprId reference : references) reach(grammar.rule_ref(reference));
    if (rule.options && rule.options->parts) reach(grammar.find_rule(*rule.options->parts).value());
  }
  return reached;
}

}  // namespace xg2lab::analysis
