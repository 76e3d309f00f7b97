// Hash-consing from the leaves up: a node's key is its kind, its payload and its children's
// numbers.
#include "analysis/structural_ids.h"

#include <string_view>
#include <unordered_map>

#include "support/interned_rows.h"

namespace xg2lab::analysis {
namespace {

// Interns texts, so that a row of numbers can refer to them. The texts must outlive the table.
class TextNumbers {
 public:
  uint32_t operator[](std::string_view text) {
    return numbers_.try_emplace(text, static_cast<uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::unordered_map<std::string_view, uint32_t> numbers_;
};

using Row = std::vector<uint32_t>;

void append(Row& row, TextNumbers& texts, const Dispatch& dispatch) {
  for (const auto* list : {&dispatch.tags, &dispatch.stop_texts, &dispatch.excludes}) {
    row.push_back(static_cast<uint32_t>(list->size()));
    for (const WatchedText& watched : *list) row.push_back(texts[watched.text]);
  }
  row.push_back((dispatch.stop_eos ? 1u : 0u) + (dispatch.loop_after_dispatch ? 2u : 0u));
}

void append(Row& row, const AnyOrderBounds& bounds) {
  row.push_back(bounds.min_total);
  row.push_back(bounds.max_total);
  row.push_back(bounds.is_ordered ? 1u : 0u);
  for (const MemberBounds member : bounds.members)
    row.push_back((member.is_required ? 1u : 0u) + (member.may_repeat ? 2u : 0u));
}

}  // namespace

std::vector<uint32_t> structural_ids(const Grammar& grammar) {
  std::vector<uint32_t> ids(grammar.n_exprs());
  TextNumbers texts;
  InternedRows known;
  Row row;
  for (size_t i = 0; i < grammar.n_exprs(); ++i) {
    const ExprId id(i);
    const Expr& e = grammar.expr(id);
    row.assign(1, static_cast<uint32_t>(e.kind));
    switch (e.kind) {
      case ExprKind::kEmpty:
      case ExprKind::kNothing:
      case ExprKind::kSequence:
      case ExprKind::kChoice: break;
      case ExprKind::kLiteral: row.push_back(texts[grammar.literal(id)]); break;
      case ExprKind::kRuleRef: row.push_back(grammar.rule_ref(id).value); break;
      case ExprKind::kRepeat: row.insert(row.end(), {e.min, e.max}); break;
      case ExprKind::kClass:
        for (const CodePointRange& range : grammar.ranges(id))
          row.insert(row.end(), {range.lo, range.hi});
        break;
      case ExprKind::kMachine: row.push_back(texts[grammar.machine(id).words]); break;
      case ExprKind::kDispatch: append(row, texts, grammar.dispatch(id)); break;
      case ExprKind::kAnyOrder: append(row, grammar.any_order(id)); break;
      case ExprKind::kTokenSet:
        row.push_back(grammar.token_set(id).is_negated ? 1u : 0u);
        for (TokenId token : grammar.token_set(id).ids) row.push_back(token.value);
        // ids are below 2^31
        for (const TokenName& name : grammar.token_set(id).names)
          row.push_back((uint32_t{1} << 31) | texts[name.text]);
        break;
    }
    for (ExprId child : grammar.children(id)) row.push_back(ids[child.index()]);
    ids[i] = known.add(row).id;
  }
  return ids;
}

}  // namespace xg2lab::analysis
