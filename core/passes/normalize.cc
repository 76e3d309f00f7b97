// Two rounds of rewriting: the equations that look at one node and its children, then equal
// alternatives. Read: Simplifier::remake, one function a kind; merge_bounds; normalize. The trick:
// a node made here is recorded with its children, so that its parent can take them over
// (flattening) without asking the builder, which only adds.
#include "passes/normalize.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "passes/rewrite.h"
#include "passes/structural_ids.h"
#include "support/utf8.h"

namespace xg2lab::passes {
namespace {

struct Bounds {
  uint32_t min;
  uint32_t max;  // kNoUpperBound: no limit
};

constexpr uint64_t kMostRepetitions = 2147483647;

// (e{inner}){outer} as one repetition. The counts of e are the sums of k counts of inner, for each
// k of outer: the intervals [k*m, k*n]. They leave no gap if each begins, at the latest, just after
// the one before it ends, and the first pair is the worst. A product past kMostRepetitions is no bound: a match of
// nothing needs no counting, and no text has so many bytes (columns and history count in 32 bits).
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
  explicit Simplifier(const Grammar& grammar) : grammar_(grammar), rules_(same_rules(grammar)) {}

  ExprId remake(GrammarBuilder& builder, ExprId old, std::span<const ExprId> children) {
    const Expr& e = grammar_.expr(old);
    switch (e.kind) {
      case ExprKind::kClass: return remake_class(builder, old);
      case ExprKind::kSequence: return remake_sequence(builder, children, e.span);
      case ExprKind::kChoice: return remake_choice(builder, children, e.span);
      case ExprKind::kRepeat:
        return remake_repeat(builder, children.front(), {e.min, e.max}, e.span);
      default: return builder.copy_node(grammar_, old, children, rules_);
    }
  }

 private:
  using Children = std::vector<ExprId>;

  const Children* children_of(GrammarBuilder& builder, ExprId id, ExprKind kind) const {
    if (builder.expr(id).kind != kind) return nullptr;
    return &children_.at(id);
  }

  ExprId remake_class(GrammarBuilder& builder, ExprId old) const {
    const auto ranges = grammar_.ranges(old);
    const bool is_one_character = ranges.size() == 1 && ranges.front().lo == ranges.front().hi;
    if (!is_one_character) return builder.copy_node(grammar_, old, {}, rules_);
    std::string bytes;
    append_utf8(bytes, ranges.front().lo);
    return builder.literal(bytes, grammar_.expr(old).span);
  }

  ExprId remake_sequence(GrammarBuilder& builder, std::span<const ExprId> children,
                         SourceSpan span) {
    Children flat;
    for (ExprId child : children) {
      if (builder.expr(child).kind == ExprKind::kNothing) return builder.nothing(span);
      if (builder.expr(child).kind == ExprKind::kEmpty) continue;
      if (const Children* inner = children_of(builder, child, ExprKind::kSequence)) {
        flat.insert(flat.end(), inner->begin(), inner->end());
      } else {
        flat.push_back(child);
      }
    }
    const ExprId sequence = builder.sequence(flat, span);
    return record(sequence, std::move(flat));
  }

  // The empty alternative may stand once.
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
      if (const Children* inner = children_of(builder, child, ExprKind::kChoice)) {
        for (ExprId grandchild : *inner) add(grandchild);
      } else {
        add(child);
      }
    }
    const ExprId choice = builder.choice(flat, span);
    return record(choice, std::move(flat));
  }

  ExprId remake_repeat(GrammarBuilder& builder, ExprId child, Bounds bounds, SourceSpan span) {
    const ExprKind kind = builder.expr(child).kind;
    if (kind == ExprKind::kEmpty) return child;
    if (kind == ExprKind::kNothing) return bounds.min == 0 ? builder.empty(span) : child;
    if (const Children* alternatives = children_of(builder, child, ExprKind::kChoice)) {
      const auto is_empty = [&](ExprId id) { return builder.expr(id).kind == ExprKind::kEmpty; };
      Children others;
      std::remove_copy_if(alternatives->begin(), alternatives->end(), std::back_inserter(others),
                          is_empty);
      if (others.size() < alternatives->size()) {
        const SourceSpan inner_span = builder.expr(child).span;
        const ExprId rest = remake_choice(builder, others, inner_span);
        return remake_repeat(builder, rest, {0, bounds.max}, span);
      }
    }
    if (kind == ExprKind::kRepeat) {
      const Bounds inner{builder.expr(child).min, builder.expr(child).max};
      if (const auto merged = merge_bounds(inner, bounds)) {
        return remake_repeat(builder, children_.at(child).front(), *merged, span);
      }
    }
    return record(builder.repeat(child, bounds.min, bounds.max, span), {child});
  }

  // The builder may have given back the only child, which is recorded already.
  ExprId record(ExprId id, Children children) {
    children_.emplace(id, std::move(children));
    return id;
  }

  const Grammar& grammar_;
  std::vector<RuleId> rules_;
  std::unordered_map<ExprId, Children> children_;  // of the sequences, choices, repetitions made
};

Grammar simplify(const Grammar& grammar) {
  Simplifier simplifier(grammar);
  return rewrite(grammar,
                 [&](GrammarBuilder& builder, ExprId old, std::span<const ExprId> children) {
                   return simplifier.remake(builder, old, children);
                 });
}

Grammar without_equal_alternatives(const Grammar& grammar, bool& changed) {
  const auto rules = same_rules(grammar);
  const auto ids = structural_ids(grammar);
  std::vector<ExprId> kept;
  return rewrite(grammar,
                 [&](GrammarBuilder& builder, ExprId old, std::span<const ExprId> children) {
                   if (grammar.expr(old).kind != ExprKind::kChoice) {
                     return builder.copy_node(grammar, old, children, rules);
                   }
                   kept.clear();
                   std::unordered_set<uint32_t> seen;
                   const auto old_children = grammar.children(old);
                   for (size_t i = 0; i < children.size(); ++i) {
                     if (seen.insert(ids[old_children[i].index()]).second)
                       kept.push_back(children[i]);
                   }
                   changed = changed || kept.size() < children.size();
                   return builder.choice(kept, grammar.expr(old).span);
                 });
}

}  // namespace

Grammar normalize(Grammar grammar) {
  bool changed = true;
  while (changed) {  // a choice left with one alternative may let its parent simplify again
    changed = false;
    grammar = without_equal_alternatives(simplify(grammar), changed);
  }
  return grammar;
}

}  // namespace xg2lab::passes
