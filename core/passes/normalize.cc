// Two rounds of rewriting: first the equations on one node and its children, then the removal of
// equal alternatives. Read: Simplifier::remake, one function for each kind of expression;
// merge_bounds; normalize. The trick: children are simplified before their parent, so a parent
// flattens children that are already as simple as possible.
#include "passes/normalize.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "analysis/structural_ids.h"
#include "grammar/rewrite.h"
#include "support/bounds.h"
#include "support/hash.h"
#include "support/utf8.h"

namespace xg2lab::passes {
namespace {

struct Bounds {
  uint32_t min;
  uint32_t max;  // kNoUpperBound: no limit
};

// (e{inner}){outer} as one repetition. The possible counts of e are the sums of k counts of inner
// for each k of outer: the intervals [k*m, k*n]. They leave no gap if each interval begins at most
// one after the end of the previous one, and the first two intervals are the worst case. A product
// above kMostRepetitions means no upper bound: empty matches need no counting, and no text has so
// many bytes (columns and history count in 32 bits).
std::optional<Bounds> merge_bounds(Bounds inner, Bounds outer) {
  const bool inner_is_endless = inner.max == kNoUpperBound;
  const uint64_t width = inner_is_endless ? kMostRepetitions : uint64_t{inner.max} - inner.min;
  const bool has_no_gap = outer.min == outer.max || inner.min <= 1 ||
                          uint64_t{inner.min} - 1 <= uint64_t{outer.min} * width;
  if (!has_no_gap) return std::nullopt;
  const uint64_t min = uint64_t{inner.min} * outer.min;
  if (min > kMostRepetitions) return std::nullopt;
  const bool is_endless = inner_is_endless || outer.max == kNoUpperBound ||
                          uint64_t{inner.max} * outer.max > kMostRepetitions;
  return Bounds{static_cast<uint32_t>(min), is_endless ? kNoUpperBound : inner.max * outer.max};
}

class Simplifier {
 public:
  ExprId remake(GrammarBuilder& builder, ExprId old, std::span<const ExprId> children) {
    const Expr e = builder.expr(old);
    switch (e.kind) {
      case ExprKind::kClass: return remake_class(builder, old, e.span);
      case ExprKind::kSequence: return remake_sequence(builder, children, e.span);
      case ExprKind::kChoice: return remake_choice(builder, children, e.span);
      case ExprKind::kRepeat:
        return remake_repeat(builder, children.front(), {e.min, e.max}, e.span);
      default: return builder.with_children(old, children);
    }
  }

 private:
  using Children = std::vector<ExprId>;

  static bool is(const GrammarBuilder& builder, ExprId id, ExprKind kind) {
    return builder.expr(id).kind == kind;
  }

  ExprId remake_class(GrammarBuilder& builder, ExprId old, SourceSpan span) const {
    const auto ranges = builder.so_far().ranges(old);
    const bool is_one_character = ranges.size() == 1 && ranges.front().lo == ranges.front().hi;
    if (!is_one_character) return old;
    std::string bytes;
    append_utf8(bytes, ranges.front().lo);
    return builder.literal(bytes, span);
  }

  ExprId remake_sequence(GrammarBuilder& builder, std::span<const ExprId> children,
                         SourceSpan span) {
    Children flat;
    for (ExprId child : children) {
      if (is(builder, child, ExprKind::kNothing)) return builder.nothing(span);
      if (is(builder, child, ExprKind::kEmpty)) continue;
      if (is(builder, child, ExprKind::kSequence)) {
        const auto inner = builder.children(child);
        flat.insert(flat.end(), inner.begin(), inner.end());
      } else {
        flat.push_back(child);
      }
    }
    return builder.sequence(flat, span);
  }

  // Keeps one empty alternative.
  ExprId remake_choice(GrammarBuilder& builder, std::span<const ExprId> children, SourceSpan span) {
    Children flat;
    bool has_empty = false;
    const auto add = [&](ExprId child) {
      const ExprKind kind = builder.expr(child).kind;
      if (kind == ExprKind::kNothing || (kind == ExprKind::kEmpty && has_empty)) return;
      has_empty = has_empty || kind == ExprKind::kEmpty;
      flat.push_back(child);
    };
    for (ExprId child : children) {
      if (is(builder, child, ExprKind::kChoice)) {
        for (ExprId grandchild : builder.children(child)) add(grandchild);
      } else {
        add(child);
      }
    }
    return builder.choice(flat, span);
  }

  ExprId remake_repeat(GrammarBuilder& builder, ExprId child, Bounds bounds, SourceSpan span) {
    const ExprKind kind = builder.expr(child).kind;
    if (kind == ExprKind::kEmpty) return child;
    if (kind == ExprKind::kNothing) return bounds.min == 0 ? builder.empty(span) : child;
    // (a | ""){m,n} = a{0,n}
    if (kind == ExprKind::kChoice) {
      const auto alternatives = builder.children(child);
      Children others(alternatives.begin(), alternatives.end());
      std::erase_if(others, [&](ExprId id) { return is(builder, id, ExprKind::kEmpty); });
      if (others.size() < alternatives.size()) {
        const SourceSpan inner_span = builder.expr(child).span;
        const ExprId rest = remake_choice(builder, others, inner_span);
        return remake_repeat(builder, rest, {0, bounds.max}, span);
      }
    }
    if (kind == ExprKind::kRepeat) {
      const Bounds inner{builder.expr(child).min, builder.expr(child).max};
      if (const auto merged = merge_bounds(inner, bounds)) {
        return remake_repeat(builder, builder.children(child).front(), *merged, span);
      }
    }
    return builder.repeat(child, bounds.min, bounds.max, span);
  }
};

// Whether remake() could change the node.
bool may_be_simpler(const Grammar& grammar, ExprId id) {
  const auto kind_of = [&](ExprId child) { return grammar.expr(child).kind; };
  const auto is_empty = [&](ExprId child) { return kind_of(child) == ExprKind::kEmpty; };
  const auto children = grammar.children(id);
  switch (kind_of(id)) {
    case ExprKind::kClass: {
      const auto ranges = grammar.ranges(id);
      return ranges.size() == 1 && ranges.front().lo == ranges.front().hi;
    }
    case ExprKind::kSequence:
      return std::ranges::any_of(children, [&](ExprId child) {
        const ExprKind kind = kind_of(child);
        return kind == ExprKind::kNothing || kind == ExprKind::kEmpty ||
               kind == ExprKind::kSequence;
      });
    case ExprKind::kChoice:
      return std::ranges::count_if(children, is_empty) > 1 ||
             std::ranges::any_of(children, [&](ExprId child) {
               return kind_of(child) == ExprKind::kNothing || kind_of(child) == ExprKind::kChoice;
             });
    case ExprKind::kRepeat: {
      const ExprKind kind = kind_of(children.front());
      return kind == ExprKind::kEmpty || kind == ExprKind::kNothing || kind == ExprKind::kRepeat ||
             (kind == ExprKind::kChoice &&
              std::ranges::any_of(grammar.children(children.front()), is_empty));
    }
    default: return false;
  }
}

Grammar simplify(Grammar grammar) {
  bool is_simple = true;
  for (size_t i = 0; i < grammar.n_exprs() && is_simple; ++i)
    is_simple = !may_be_simpler(grammar, ExprId(i));
  if (is_simple) return grammar;
  Simplifier simplifier;
  const auto remake = [&](GrammarBuilder& builder, ExprId old, std::span<const ExprId> children) {
    const bool stays = std::ranges::equal(builder.children(old), children) &&
                       !may_be_simpler(builder.so_far(), old);
    return stays ? old : simplifier.remake(builder, old, children);
  };
  return rewrite(std::move(grammar), remake);
}

// A cheap hash of an expression's top levels: equal for equal expressions.
uint64_t glance(const Grammar& grammar, ExprId id) {
  const Expr& e = grammar.expr(id);
  const uint64_t kind = static_cast<uint64_t>(e.kind) << 58;
  switch (e.kind) {
    case ExprKind::kLiteral: return kind ^ std::hash<std::string_view>()(grammar.literal(id)) >> 6;
    case ExprKind::kRuleRef: return kind | e.first;
    case ExprKind::kSequence:
    case ExprKind::kChoice: {
      const ExprId first = grammar.children(id).front();
      const bool is_deeper = has_children(grammar.expr(first).kind);
      return kind ^ hash_combine(e.count, is_deeper ? 0 : glance(grammar, first)) >> 6;
    }
    case ExprKind::kRepeat: return kind ^ hash_combine(e.min, e.max) >> 6;
    default: return kind;
  }
}

// Whether two expressions may be equal. False is certain; true is certain unless the comparison
// exceeds kMostSteps.
bool may_be_equal(const Grammar& grammar, ExprId a, ExprId b) {
  constexpr size_t kMostSteps = 64;
  std::vector<std::pair<ExprId, ExprId>> pending{{a, b}};
  for (size_t step = 0; !pending.empty() && step < kMostSteps; ++step) {
    const auto [left, right] = pending.back();
    pending.pop_back();
    if (left == right) continue;
    if (glance(grammar, left) != glance(grammar, right)) return false;
    switch (grammar.expr(left).kind) {
      case ExprKind::kClass:
        if (!std::ranges::equal(grammar.ranges(left), grammar.ranges(right))) return false;
        break;
      case ExprKind::kMachine:
        if (grammar.machine(left).words != grammar.machine(right).words) return false;
        break;
      default: break;
    }
    const auto children = grammar.children(left);
    const auto others = grammar.children(right);
    if (children.size() != others.size()) return false;
    for (size_t i = 0; i < children.size(); ++i) pending.emplace_back(children[i], others[i]);
  }
  return true;
}

bool may_have_equal_alternatives(const Grammar& grammar) {
  constexpr size_t kMostPairs = 1000;  // pairs of one choice with equal hashes
  std::vector<std::pair<uint64_t, ExprId>> glances;
  for (size_t i = 0; i < grammar.n_exprs(); ++i) {
    if (grammar.expr(ExprId(i)).kind != ExprKind::kChoice) continue;
    glances.clear();
    for (ExprId child : grammar.children(ExprId(i)))
      glances.emplace_back(glance(grammar, child), child);
    std::sort(glances.begin(), glances.end());
    size_t n_pairs = 0;
    for (size_t left = 0; left < glances.size(); ++left) {
      for (size_t right = left + 1;
           right < glances.size() && glances[right].first == glances[left].first; ++right) {
        if (++n_pairs > kMostPairs) return true;
        if (may_be_equal(grammar, glances[left].second, glances[right].second)) return true;
      }
    }
  }
  return false;
}

// Returns whether equal alternatives were dropped.
bool drop_equal_alternatives(Grammar& grammar) {
  if (!may_have_equal_alternatives(grammar)) return false;
  const auto ids = analysis::structural_ids(grammar);
  std::vector<uint32_t> row;
  const auto repeats_itself = [&](const Grammar& of, ExprId id) {
    if (of.expr(id).kind != ExprKind::kChoice) return false;
    row.clear();
    for (ExprId child : of.children(id)) row.push_back(ids[child.index()]);
    std::sort(row.begin(), row.end());
    return std::adjacent_find(row.begin(), row.end()) != row.end();
  };
  bool is_found = false;
  for (size_t i = 0; i < grammar.n_exprs() && !is_found; ++i)
    is_found = repeats_itself(grammar, ExprId(i));
  if (!is_found) return false;
  std::vector<ExprId> kept;
  const auto remake = [&](GrammarBuilder& builder, ExprId old, std::span<const ExprId> children) {
    if (!repeats_itself(builder.so_far(), old)) return builder.with_children(old, children);
    kept.clear();
    std::unordered_set<uint32_t> seen;
    const auto old_children = builder.children(old);
    for (size_t i = 0; i < children.size(); ++i) {
      if (seen.insert(ids[old_children[i].index()]).second) kept.push_back(children[i]);
    }
    return builder.choice(kept, builder.expr(old).span);
  };
  grammar = rewrite(std::move(grammar), remake);
  return true;
}

}  // namespace

Grammar normalize(Grammar grammar) {
  grammar = simplify(std::move(grammar));
  while (drop_equal_alternatives(grammar)) {
    grammar = simplify(
        std::move(grammar));  // a choice with one alternative left may let its parent simplify
  }
  return grammar;
}

}  // namespace xg2lab::passes
