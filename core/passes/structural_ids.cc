// Hash-consing from the leaves up: a node's key is its kind, its payload and its children's
// numbers.
#include "passes/structural_ids.h"

#include <string>
#include <unordered_map>

namespace xg2lab::passes {
namespace {

void append(std::string& key, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) key += static_cast<char>((value >> shift) & 0xFFu);
}

void append(std::string& key, const Dispatch& dispatch) {
  for (const auto* texts : {&dispatch.tags, &dispatch.stop_texts, &dispatch.excludes}) {
    append(key, static_cast<uint32_t>(texts->size()));
    for (const WatchedText& watched : *texts) {
      append(key, static_cast<uint32_t>(watched.text.size()));
      key += watched.text;
    }
  }
  append(key, (dispatch.stop_eos ? 1u : 0u) + (dispatch.loop_after_dispatch ? 2u : 0u));
}

void append(std::string& key, const AnyOrderBounds& bounds) {
  append(key, bounds.min_total);
  append(key, bounds.max_total);
  append(key, bounds.is_ordered ? 1u : 0u);
  for (const MemberBounds member : bounds.members)
    key += static_cast<char>((member.is_required ? 1 : 0) + (member.may_repeat ? 2 : 0));
}

}  // namespace

std::vector<uint32_t> structural_ids(const Grammar& grammar) {
  std::vector<uint32_t> ids(grammar.n_exprs());
  std::unordered_map<std::string, uint32_t> known;
  std::string key;
  for (size_t i = 0; i < grammar.n_exprs(); ++i) {
    const ExprId id(i);
    const Expr& e = grammar.expr(id);
    key.assign(1, static_cast<char>(e.kind));
    if (e.kind == ExprKind::kLiteral) key += grammar.literal(id);
    if (e.kind == ExprKind::kRuleRef) append(key, grammar.rule_ref(id).value);
    if (e.kind == ExprKind::kRepeat) {
      append(key, e.min);
      append(key, e.max);
    }
    if (e.kind == ExprKind::kClass) {
      for (const CodePointRange& range : grammar.ranges(id)) {
        append(key, range.lo);
        append(key, range.hi);
      }
    }
    if (e.kind == ExprKind::kMachine) key += grammar.machine(id).words;
    if (e.kind == ExprKind::kDispatch) append(key, grammar.dispatch(id));
    if (e.kind == ExprKind::kAnyOrder) append(key, grammar.any_order(id));
    if (e.kind == ExprKind::kTokenSet) {
      append(key, grammar.token_set(id).is_negated ? 1u : 0u);
      for (TokenId token : grammar.token_set(id).ids) append(key, token.value);
    }
    for (ExprId child : grammar.children(id)) append(key, ids[child.index()]);
    ids[i] = known.emplace(key, static_cast<uint32_t>(known.size())).first->second;
  }
  return ids;
}

}  // namespace xg2lab::passes
