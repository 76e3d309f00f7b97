// Dowling and Gallier's algorithm: each expression counts the children that still lack the fact.
// Read: derive_in_rounds, the simple algorithm, which suffices for most grammars; derive; then the
// two kinds of leaves. The trick: an expression that gains the fact informs its parents once,
// instead of repeated passes over the whole grammar.
#include "analysis/derive.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "analysis/readable_texts.h"

namespace xg2lab::analysis {
namespace {

// The parents of every expression, and the references to every rule, as ragged arrays.
struct Ragged {
  explicit Ragged(size_t n_rows) : begins(n_rows + 1) {}

  void count(size_t row) { ++begins[row + 1]; }
  void seal() {
    for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
    values.resize(begins.back());
    next.assign(begins.begin(), begins.end() - 1);
  }
  void put(size_t row, uint32_t value) { values[next[row]++] = value; }
  std::span<const uint32_t> row(size_t i) const {
    return std::span<const uint32_t>(values).subspan(begins[i], begins[i + 1] - begins[i]);
  }

  std::vector<uint32_t> begins;
  std::vector<uint32_t> next;
  std::vector<uint32_t> values;
};

constexpr size_t kNever = SIZE_MAX;
constexpr size_t kAskAgain = SIZE_MAX - 1;  // checked again for each child that gains the fact

// The parameters that distinguish one fact from another.
struct Question {
  bool (*leaf_has_it)(const Grammar&, ExprId);
  // The number of rules opened by its tags that must have the fact before the dispatch has it.
  size_t (*dispatch_needs)(const Dispatch&);
  // True: an any-order expression has the fact once enough members have it. False: it has the fact
  // only if it may match no member.
  bool is_of_members;
};

// The children that must have the fact before an any-order expression has it: the required members,
// and the separator if at least two of them are required.
std::vector<ExprId> needed_members(const Grammar& grammar, ExprId id) {
  const AnyOrderBounds& bounds = grammar.any_order(id);
  const auto children = grammar.children(id);
  std::vector<ExprId> needed;
  for (size_t i = 0; i < bounds.members.size(); ++i) {
    if (bounds.members[i].is_required) needed.push_back(children[i]);
  }
  if (std::max<size_t>(bounds.min_total, needed.size()) > 1) needed.push_back(children.back());
  return needed;
}

// Whether the minimum exceeds the number of required members; then a count of needed children isn't
// enough.
bool asks_for_more(const AnyOrderBounds& bounds) { return bounds.min_total > bounds.n_required(); }

// Whether enough members have the fact.
bool has_enough_members(const Grammar& grammar, ExprId id, const std::vector<bool>& has_it) {
  const std::vector<ExprId> needed = needed_members(grammar, id);
  if (!std::all_of(needed.begin(), needed.end(),
                   [&](ExprId child) { return has_it[child.index()]; }))
    return false;
  const AnyOrderBounds& bounds = grammar.any_order(id);
  const auto children = grammar.children(id);
  size_t n_found = 0;
  for (size_t i = 0; i < bounds.members.size(); ++i) {
    if (!has_it[children[i].index()]) continue;
    if (bounds.members[i].may_repeat) return true;
    ++n_found;
  }
  return n_found >= bounds.min_total;
}

// The number of children that must have the fact before the expression has it.
size_t n_needed(const Grammar& grammar, ExprId id, const Question& question) {
  const Expr& e = grammar.expr(id);
  if (e.kind == ExprKind::kDispatch) return question.dispatch_needs(grammar.dispatch(id));
  if (e.kind == ExprKind::kAnyOrder) {
    if (!question.is_of_members) return grammar.any_order(id).may_be_empty() ? 0 : kNever;
    if (asks_for_more(grammar.any_order(id))) return kAskAgain;
    return needed_members(grammar, id).size();
  }
  if (e.kind == ExprKind::kSequence) return grammar.children(id).size();
  return e.kind == ExprKind::kRepeat && e.min == 0 ? 0 : 1;
}

// The children that may give their parent the fact: for a dispatch, the rules of tags that can be
// read; for an any-order expression, its needed members, or all of them.
std::span<const ExprId> giving_children(const Grammar& grammar, ExprId id, const Question& question,
                                        std::vector<ExprId>& scratch) {
  const auto children = grammar.children(id);
  if (!keeps_references(grammar.expr(id).kind)) return children;
  const size_t needed = n_needed(grammar, id, question);
  if (needed == 0 || needed == kNever) return {};
  if (needed == kAskAgain) return children;
  if (grammar.expr(id).kind == ExprKind::kAnyOrder) return scratch = needed_members(grammar, id);
  const std::vector<bool> readable = readable_texts(grammar.dispatch(id)).tags;
  scratch.clear();
  for (size_t i = 0; i < children.size(); ++i) {
    if (readable[i]) scratch.push_back(children[i]);
  }
  return scratch;
}

// Whether enough of the rules that its tags open have the fact.
bool dispatch_has_it(const Grammar& grammar, ExprId id, const Question& question,
                     const std::vector<bool>& has_it) {
  const size_t needed = question.dispatch_needs(grammar.dispatch(id));
  if (needed == 0 || needed == kNever) return needed == 0;
  std::vector<ExprId> scratch;
  const auto giving = giving_children(grammar, id, question, scratch);
  return static_cast<size_t>(std::ranges::count_if(
             giving, [&](ExprId child) { return has_it[child.index()]; })) >= needed;
}

// Whether the expression has the fact because of its parts.
bool has_it_by_parts(const Grammar& grammar, ExprId id, const Question& question,
                     const Facts& facts) {
  const Expr& e = grammar.expr(id);
  const auto children = grammar.children(id);
  const auto has_it = [&](ExprId child) { return facts.exprs[child.index()]; };
  switch (e.kind) {
    case ExprKind::kRuleRef: return facts.rules[grammar.rule_ref(id).index()];
    case ExprKind::kSequence: return std::ranges::all_of(children, has_it);
    case ExprKind::kChoice: return std::ranges::any_of(children, has_it);
    case ExprKind::kRepeat: return e.min == 0 || has_it(children.front());
    case ExprKind::kAnyOrder:
      return question.is_of_members ? has_enough_members(grammar, id, facts.exprs)
                                    : grammar.any_order(id).may_be_empty();
    case ExprKind::kDispatch: return dispatch_has_it(grammar, id, question, facts.exprs);
    default: return question.leaf_has_it(grammar, id);
  }
}

// Repeated passes, each of which carries facts across one more reference; few passes suffice nearly
// always. Nothing if they don't suffice.
std::optional<Facts> derive_in_rounds(const Grammar& grammar, const Question& question) {
  constexpr size_t kMostRounds = 12;
  Facts facts{std::vector<bool>(grammar.n_exprs()), std::vector<bool>(grammar.n_rules())};
  std::vector<ExprId> open;  // expressions that lack the fact so far, ascending
  for (size_t i = 0; i < grammar.n_exprs(); ++i) {
    const ExprId id(i);
    if (has_it_by_parts(grammar, id, question, facts)) facts.exprs[i] = true;
    else open.push_back(id);
  }
  for (size_t round = 1; round < kMostRounds; ++round) {
    for (size_t i = 0; i < grammar.n_rules(); ++i)
      facts.rules[i] = facts.exprs[grammar.rule(RuleId(i)).body.index()];
    const size_t n_removed = std::erase_if(open, [&](ExprId id) {
      const bool has_it = has_it_by_parts(grammar, id, question, facts);
      if (has_it) facts.exprs[id.index()] = true;
      return has_it;
    });
    if (n_removed == 0) return facts;
  }
  return std::nullopt;
}

Facts derive(const Grammar& grammar, const Question& question) {
  if (auto facts = derive_in_rounds(grammar, question)) return std::move(*facts);
  const size_t n_exprs = grammar.n_exprs();
  const size_t n_rules = grammar.n_rules();
  // The parents of each expression, and the references to each rule.
  Ragged parents(n_exprs);
  Ragged references(n_rules);
  Ragged bodies(n_exprs);
  std::vector<ExprId> giving;
  // The tables are filled in two passes over the same edges: the first counts, the second stores.
  const auto each_edge = [&](auto&& edge) {
    for (size_t i = 0; i < n_exprs; ++i) {
      const ExprId id(i);
      if (grammar.expr(id).kind == ExprKind::kRuleRef)
        edge(references, grammar.rule_ref(id).index(), i);
      for (ExprId child : giving_children(grammar, id, question, giving))
        edge(parents, child.index(), i);
    }
    for (size_t i = 0; i < n_rules; ++i) edge(bodies, grammar.rule(RuleId(i)).body.index(), i);
  };
  each_edge([](Ragged& table, size_t row, size_t) { table.count(row); });
  for (Ragged* table : {&parents, &references, &bodies}) table->seal();
  each_edge([](Ragged& table, size_t row, size_t value) {
    table.put(row, static_cast<uint32_t>(value));
  });

  Facts facts{std::vector<bool>(n_exprs), std::vector<bool>(n_rules)};
  // lacking[expr] is the number of children that still lack the fact; the expression gains it at 0.
  // Each fact is propagated once, when it is gained.
  std::vector<size_t> lacking(n_exprs, 1);
  std::vector<uint32_t> gained;
  const auto gain = [&](uint32_t expr) {
    if (facts.exprs[expr]) return;
    facts.exprs[expr] = true;
    gained.push_back(expr);
  };
  for (size_t i = 0; i < n_exprs; ++i) {
    const ExprId id(i);
    const ExprKind kind = grammar.expr(id).kind;
    const bool is_leaf = !has_children(kind) && kind != ExprKind::kRuleRef;
    if (!is_leaf) lacking[i] = n_needed(grammar, id, question);
    if (is_leaf ? question.leaf_has_it(grammar, id) : lacking[i] == 0) gain(id.value);
  }
  while (!gained.empty()) {
    const uint32_t expr = gained.back();
    gained.pop_back();
    for (uint32_t parent : parents.row(expr)) {
      if (lacking[parent] == kAskAgain) {
        if (has_enough_members(grammar, ExprId(parent), facts.exprs)) gain(parent);
      } else if (lacking[parent] > 0 && --lacking[parent] == 0) {
        gain(parent);
      }
    }
    for (uint32_t rule : bodies.row(expr)) {
      if (facts.rules[rule]) continue;
      facts.rules[rule] = true;
      for (uint32_t reference : references.row(rule)) gain(reference);
    }
  }
  return facts;
}

}  // namespace

Facts find_productive(const Grammar& grammar) {
  return derive(grammar,
                {[](const Grammar& g, ExprId id) { return g.expr(id).kind != ExprKind::kNothing; },
                 [](const Dispatch& dispatch) -> size_t {
                   if (dispatch.stop_eos) return 0;
                   const std::vector<bool> stops = readable_texts(dispatch).stop_texts;
                   if (std::find(stops.begin(), stops.end(), true) != stops.end()) return 0;
                   return dispatch.loop_after_dispatch ? kNever : 1;
                 },
                 true});
}

Facts find_nullable(const Grammar& grammar) {
  return derive(
      grammar,
      {[](const Grammar& g, ExprId id) {
         const ExprKind kind = g.expr(id).kind;
         return kind == ExprKind::kEmpty ||
                (kind == ExprKind::kMachine && g.machine(id).fsm.is_accepting[0]);
       },
       [](const Dispatch& dispatch) -> size_t { return dispatch.stop_eos ? 0 : kNever; }, false});
}

std::vector<bool> nullable_rules(const Grammar& grammar) { return find_nullable(grammar).rules; }

}  // namespace xg2lab::analysis
