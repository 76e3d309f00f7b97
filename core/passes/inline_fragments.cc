// Works bottom-up: a rule's body is finished before any rule that refers to it. Read: Inliner::run,
// finish (one rule), size_of (the size of the body after inlining), taken_in (the body after
// inlining). The trick: analysis::RuleGraph::callees_first lists callees first, so one visit for
// each rule suffices.
#include "passes/inline_fragments.h"

#include <algorithm>
#include <utility>

#include "analysis/rule_graph.h"
#include "grammar/rewrite.h"
#include "grammar/walk.h"
#include "passes/drop_unreachable.h"

namespace xg2lab::passes {
namespace {

constexpr size_t kSaturated = size_t{1} << 40;

struct Size {
  size_t n_nodes = 1;  // of the tree: a shared node counts at each use
  size_t depth = 1;
  size_t n_added = 0;  // nodes added to this rule whose originals remain
};

class Inliner {
 public:
  Inliner(Grammar grammar, const InlineBudgets& budgets)
      : budgets_(budgets),
        graph_(grammar),
        builder_(std::move(grammar)),
        grammar_(builder_.so_far()),
        offered_(grammar_.n_rules()),
        offered_to_members_(grammar_.n_rules()),
        offered_sizes_(grammar_.n_rules()),
        is_member_(grammar_.n_rules()),
        n_uses_(grammar_.n_rules()),
        expr_sizes_(grammar_.n_exprs()),
        visited_by_(grammar_.n_exprs(), kNobody),
        owner_(grammar_.n_exprs(), kNobody),
        made_(grammar_.n_exprs()) {
    find_members();
    for (ExprId reference : graph_.reference_table) ++n_uses_[grammar_.rule_ref(reference).index()];
  }

  Grammar run() {
    for (RuleId rule : graph_.callees_first) finish(rule);
    const RuleId root = grammar_.root();
    return std::move(builder_).build(root);
  }

 private:
  using Offers = std::vector<std::optional<ExprId>>;  // index: RuleId. Finished bodies, in builder_

  void find_members() {
    for (size_t i = 0; i < grammar_.n_exprs(); ++i) {
      if (grammar_.expr(ExprId(i)).kind != ExprKind::kAnyOrder) continue;
      for (ExprId child : grammar_.children(ExprId(i))) {
        if (grammar_.expr(child).kind == ExprKind::kRuleRef)
          is_member_[grammar_.rule_ref(child).index()] = true;
      }
    }
  }

  // Inlines the offered bodies, and offers the rule's own body if it qualifies.
  void finish(RuleId rule) {
    const ExprId old_body = grammar_.rule(rule).body;
    collect_nodes(rule);
    // If inlining would exceed a budget, the rule keeps all its references.
    const Offers none;
    const Offers& offers = is_member_[rule.index()] ? offered_to_members_ : offered_;
    Size size = size_of(old_body, offers);
    const bool fits = n_added_ + size.n_added <= budgets_.growth && size.depth <= budgets_.depth;
    if (fits) n_added_ += size.n_added;
    else size = size_of(old_body, none);
    const bool may_be_offered = may_offer(rule, size);
    const ExprId body = taken_in(rule, fits ? offers : none);
    builder_.set_body(rule, body);
    if (!may_be_offered) return;
    offered_[rule.index()] = body;
    // Members take in only tiny bodies, and bodies that no other rule uses.
    if (n_uses_[rule.index()] == 1 || size.n_nodes <= budgets_.n_nodes_in_members)
      offered_to_members_[rule.index()] = body;
    offered_sizes_[rule.index()] = size;
  }

  bool may_offer(RuleId rule, Size size) const {
    const bool is_dispatch = grammar_.expr(grammar_.rule(rule).body).kind == ExprKind::kDispatch;
    const bool must_stay = rule == grammar_.root() || graph_.is_recursive[rule.index()] ||
                           grammar_.rule(rule).lookahead.has_value() || is_dispatch ||
                           grammar_.rule(rule).options != nullptr ||
                           is_large_machine(grammar_, grammar_.rule(rule).body);
    if (must_stay) return false;
    const bool is_used_once = n_uses_[rule.index()] == 1;
    return size.n_nodes <= (is_used_once ? budgets_.n_nodes_used_once : budgets_.n_nodes);
  }

  // The nodes of one body, children first.
  void collect_nodes(RuleId rule) {
    nodes_.clear();
    const auto is_new = [&](ExprId id) {
      return std::exchange(visited_by_[id.index()], rule) != rule;
    };
    const auto note = [&](ExprId id) { nodes_.push_back(id); };
    for_each_expr(grammar_, grammar_.rule(rule).body, is_new, note, pending_);
    std::sort(nodes_.begin(), nodes_.end());
  }

  // The size of the body in nodes_ once `offers` are inlined.
  Size size_of(ExprId body, const Offers& offers) {
    for (ExprId id : nodes_) {
      Size size;
      const bool is_reference = grammar_.expr(id).kind == ExprKind::kRuleRef;
      if (is_reference && !offers.empty()) {
        const size_t callee = grammar_.rule_ref(id).index();
        if (offers[callee]) {
          size = offered_sizes_[callee];
          // The only use of a rule replaces the rule, so no node is added.
          size.n_added = n_uses_[callee] > 1 ? size.n_nodes : 0;
        }
      }
      if (grammar_.expr(id).kind == ExprKind::kMachine) {  // its states are copied at each use
        size.n_nodes = grammar_.machine(id).fsm.n_states();
      }
      if (keeps_references(grammar_.expr(id).kind)) {
        expr_sizes_[id.index()] = {grammar_.children(id).size() + 1, 2, 0};
        continue;
      }
      for (ExprId child : grammar_.children(id)) {
        const Size& part = expr_sizes_[child.index()];
        size.n_nodes = std::min(size.n_nodes + part.n_nodes, kSaturated);
        size.depth = std::max(size.depth, part.depth + 1);
        size.n_added = std::min(size.n_added + part.n_added, kSaturated);
      }
      expr_sizes_[id.index()] = size;
    }
    return expr_sizes_[body.index()];
  }

  // The body in nodes_ with references replaced by `offers`. A node that another rule owns is
  // rebuilt, so that rules share only the bodies that one takes over from the other.
  ExprId taken_in(RuleId rule, const Offers& offers) {
    const auto stays = [&](ExprId id) {
      if (owner_[id.index()] != kNobody) return false;
      if (grammar_.expr(id).kind != ExprKind::kRuleRef || offers.empty()) return true;
      return !offers[grammar_.rule_ref(id).index()];
    };
    // Nothing changes: the rule keeps its nodes, which it now owns.
    if (std::ranges::all_of(nodes_, stays)) {
      for (ExprId id : nodes_) owner_[id.index()] = rule;
      return nodes_.back();
    }
    for (ExprId id : nodes_) {
      const Expr& expr = grammar_.expr(id);
      const bool is_first = owner_[id.index()] == kNobody;
      if (is_first) owner_[id.index()] = rule;
      const size_t callee = expr.kind == ExprKind::kRuleRef ? grammar_.rule_ref(id).index() : 0;
      if (expr.kind == ExprKind::kRuleRef && callee < offers.size() && offers[callee]) {
        made_[id.index()] = *offers[callee];
        continue;
      }
      children_.clear();
      for (ExprId child : grammar_.children(id))
        children_.push_back(keeps_references(expr.kind) ? child : made_[child.index()]);
      made_[id.index()] =
          is_first ? builder_.with_children(id, children_) : builder_.again(id, children_);
    }
    return made_[nodes_.back().index()];
  }

  static constexpr RuleId kNobody = RuleId(UINT32_MAX);

  const InlineBudgets& budgets_;
  analysis::RuleGraph graph_;
  GrammarBuilder builder_;
  const Grammar& grammar_;  // current state: bodies of finished rules are already inlined
  Offers offered_;
  Offers offered_to_members_;        // a subset of the offers
  std::vector<Size> offered_sizes_;  // index: RuleId
  std::vector<bool> is_member_;      // index: RuleId. Member or separator of an AnyOrder
  std::vector<size_t> n_uses_;       // index: RuleId
  std::vector<Size> expr_sizes_;     // index: ExprId; valid for nodes_
  std::vector<RuleId> visited_by_;   // index: ExprId
  std::vector<RuleId> owner_;        // index: ExprId. The first rule that contains it
  std::vector<ExprId> made_;         // index: ExprId. The new node, for nodes_
  std::vector<ExprId> nodes_;
  std::vector<ExprId> children_;
  std::vector<ExprId> pending_;
  size_t n_added_ = 0;
};

}  // namespace

Grammar inline_fragments(Grammar grammar, const InlineBudgets& budgets) {
  Grammar inlined = Inliner(std::move(grammar), budgets).run();
  return drop_unreachable(std::move(inlined), UnusedRules::kSilent);
}

}  // namespace xg2lab::passes
