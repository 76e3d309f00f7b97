// A walk down each body that carries the expression that follows.
#include "analysis/lookahead.h"

#include "analysis/structural_ids.h"

namespace xg2lab::analysis {
namespace {

struct Occurrence {
  ExprId expr;
  std::optional<ExprId> next;
};

void collect_sites(const Grammar& grammar, RuleId caller, std::vector<LookaheadInfo>& infos) {
  std::vector<Occurrence> pending{{grammar.rule(caller).body, std::nullopt}};
  while (!pending.empty()) {
    const Occurrence occurrence = pending.back();
    pending.pop_back();
    const auto children = grammar.children(occurrence.expr);
    switch (grammar.expr(occurrence.expr).kind) {
      case ExprKind::kRuleRef:
        infos[grammar.rule_ref(occurrence.expr).index()].sites.push_back(
            {caller, occurrence.expr, occurrence.next});
        break;
      case ExprKind::kSequence:
        for (size_t i = children.size(); i-- > 0;) {
          const bool is_last = i + 1 == children.size();
          pending.push_back(
              {children[i], is_last ? occurrence.next : std::optional(children[i + 1])});
        }
        break;
      case ExprKind::kChoice:
        for (size_t i = children.size(); i-- > 0;)
          pending.push_back({children[i], occurrence.next});
        break;
      case ExprKind::kRepeat: {
        const bool happens_once = grammar.expr(occurrence.expr).max == 1;
        pending.push_back({children.front(), happens_once ? occurrence.next : std::nullopt});
        break;
      }
      case ExprKind::kDispatch: {
        const bool loops = grammar.dispatch(occurrence.expr).loop_after_dispatch;
        for (size_t i = children.size(); i-- > 0;) {
          pending.push_back({children[i], loops ? std::nullopt : occurrence.next});
        }
        break;
      }
      case ExprKind::kAnyOrder:  // a separator, a member or the end may follow
        for (size_t i = children.size(); i-- > 0;) pending.push_back({children[i], std::nullopt});
        break;
      default: break;
    }
  }
}

}  // namespace

std::vector<LookaheadInfo> find_lookaheads(const Grammar& grammar) {
  std::vector<LookaheadInfo> infos(grammar.n_rules());
  for (size_t i = 0; i < grammar.n_rules(); ++i) collect_sites(grammar, RuleId(i), infos);
  const auto ids = structural_ids(grammar);
  for (size_t i = 0; i < infos.size(); ++i) {
    LookaheadInfo& info = infos[i];
    // the end of the text follows the root
    if (info.sites.empty() || RuleId(i) == grammar.root()) continue;
    bool is_unique = true;
    const auto& first = info.sites.front().next;
    for (const CallSite& site : info.sites) {
      is_unique = is_unique && site.next && first && ids[site.next->index()] == ids[first->index()];
    }
    if (is_unique) info.unique_next = first;
  }
  return infos;
}

}  // namespace xg2lab::analysis
