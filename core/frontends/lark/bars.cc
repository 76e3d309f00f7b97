// Read: after (what a node leaves behind), settle (the fixpoint), then what bars are cut down to.
#include "frontends/lark/bars.h"

#include <algorithm>

#include "support/budget.h"

namespace xg2lab::lark {

BarId Bars::of(const CodePointSet& set) {
  Key key;
  for (const CodePointRange& range : set) key.emplace_back(range.lo, range.hi);
  const auto [known, is_new] = ids_.emplace(std::move(key), static_cast<BarId>(sets_.size()));
  if (is_new) sets_.push_back(set);
  return known->second;
}

// ---- What a node leaves behind ----

BarSet Bars::after(NodeId id, BarId bar) {
  const Node& node = context_.tree[id];
  const Leaf& leaf = context_.neighbours.leaves[id.index()];
  if (leaf.kind != LeafKind::kNone) return after_leaf(id, leaf, bar);
  if (node.kind == NodeKind::kSequence) return after_rest(node, 0, bar);
  if (node.kind == NodeKind::kRepeat) {
    BarSet result = after_rounds(node.children.front(), bar, node.max != 1);
    if (node.min == 0) result.insert(bar);
    return result;
  }
  if (node.children.empty()) return {bar};
  BarSet result;
  for (NodeId child : node.children) result.merge(after(child, before(child, bar)));
  return result;
}

BarSet Bars::after_rest(const Node& sequence, size_t from, BarId bar) {
  BarSet bars{bar};
  for (size_t i = from; i < sequence.children.size(); ++i) {
    const NodeId child = sequence.children[i];
    BarSet next;
    for (BarId each : bars) {
      const BarId rest = before_rest(sequence, i, each);
      next.merge(after(child, before(child, rest)));
    }
    bars = std::move(next);
  }
  return bars;
}

BarSet Bars::after_rounds(NodeId round, BarId bar, bool again) {
  BarSet result;
  BarSet pending{before(round, bar)};
  BarSet known;
  while (!pending.empty()) {
    const BarId each = pending.pop();
    if (!known.insert(each)) continue;
    for (BarId next : after(round, each)) {
      result.insert(next);
      if (again) pending.insert(before(round, next));
    }
  }
  return result;
}

BarSet Bars::after_leaf(NodeId id, const Leaf& leaf, BarId bar) {
  const bool may_be_empty = context_.neighbours.may_be_empty[id.index()];
  switch (leaf.kind) {
    case LeafKind::kRule: return after_rule(leaf.index, bar);
    case LeafKind::kTerminal: {
      BarSet result;
      if (may_be_empty) result.insert(bar);
      BarSet before = after_skip(context_.lexing.skip_at[id.index()], bar);
      before.insert(bar);
      for (ContenderIndex contender : context_.lexing.contenders_at[id.index()]) {
        const bool may_stand = std::any_of(before.begin(), before.end(),
                                           [&](BarId each) { return may_begin(contender, each); });
        if (may_stand) result.insert(of(context_.lexing.contenders[contender].not_next));
      }
      return result;
    }
    default: break;
  }
  BarSet result{0};
  if (may_be_empty) result.insert(bar);
  return result;
}

const BarSet& Bars::after_rule(size_t rule, BarId bar) {
  const auto [known, is_new] =
      index_of_asked_.emplace(pair_of(rule, bar), static_cast<uint32_t>(asked_.size()));
  const uint32_t index = known->second;
  if (is_new) {
    asked_.push_back({rule, bar, {}, {}});
    pending_.push_back(index);
  }
  Asked& asked = asked_[index];
  if (asker_ != kNobody && (asked.askers.empty() || asked.askers.back() != asker_))
    asked.askers.push_back(asker_);
  return asked.after;
}

void Bars::settle() {
  while (!pending_.empty() && !is_too_large()) {
    check_budget("what rules leave behind");
    asker_ = pending_.back();
    pending_.pop_back();
    Asked& asked = asked_[asker_];
    asked.is_pending = false;
    const size_t n_before = asked.after.size();
    const BarSet after = this->after(context_.resolved.definitions[asked.rule].body, asked.bar);
    asked.after.merge(after);
    if (asked.after.size() == n_before) continue;
    for (uint32_t index : std::exchange(asked.askers, {})) {
      if (std::exchange(asked_[index].is_pending, true)) continue;
      pending_.push_back(index);
    }
  }
  asker_ = kNobody;
}

// ---- What a bar is cut down to ----

const CodePointSet& Bars::first_of_symbols(const SymbolSet& symbols) {
  const auto known = firsts_.find(symbols);
  if (known != firsts_.end()) return known->second;
  CodePointSet first;
  const Neighbours& neighbours = context_.neighbours;
  symbols.for_each([&](size_t symbol) {
    if (symbol >= neighbours.n_terminals) {
      const size_t opaque = symbol - neighbours.n_terminals;
      if (opaque < context_.opaque.size()) first = unite(first, context_.opaque[opaque].first);
    }
  });
  for (size_t i = 0; i < neighbours.leaves.size(); ++i) {
    const Leaf& leaf = neighbours.leaves[i];
    const bool is_one = leaf.kind == LeafKind::kTerminal && symbols.has(leaf.index);
    if (!is_one || neighbours.before[i] == SymbolSet(neighbours.n_symbols())) continue;
    for (ContenderIndex contender : context_.lexing.contenders_at[i]) {
      first = unite(first, context_.lexing.contenders[contender].first);
    }
  }
  for (const Skip& skip : context_.lexing.skips) first = unite(first, skip.first);
  return firsts_.emplace(symbols, std::move(first)).first->second;
}

const CodePointSet& Bars::first_of(NodeId node) {
  return first_of_symbols(context_.neighbours.first[node.index()]);
}

BarId Bars::before(NodeId node, BarId bar) {
  if (bar == 0 || context_.neighbours.may_be_empty[node.index()]) return bar;
  const auto [known, is_new] = before_.emplace(pair_of(node.index(), bar), 0);
  if (is_new) known->second = of(intersect(sets_[bar], first_of(node)));
  return known->second;
}

BarId Bars::before_rest(const Node& sequence, size_t from, BarId bar) {
  if (bar == 0) return bar;
  const auto node = static_cast<size_t>(&sequence - context_.tree.nodes.data());
  const auto [known, is_new] = before_rest_[node].emplace(pair_of(from, bar), bar);
  if (!is_new) return known->second;
  SymbolSet first(context_.neighbours.n_symbols());
  for (size_t i = from; i < sequence.children.size(); ++i) {
    const size_t child = sequence.children[i].index();
    first.add(context_.neighbours.first[child]);
    if (context_.neighbours.may_be_empty[child]) continue;
    known->second = of(intersect(sets_[bar], first_of_symbols(first)));
    break;
  }
  return known->second;
}

// ---- Tokens, and what is ignored ----

bool Bars::may_begin(ContenderIndex contender, BarId bar) {
  const auto [known, is_new] = may_begin_.emplace(pair_of(contender, bar), false);
  if (is_new) {
    const CodePointSet& first = context_.lexing.contenders[contender].first;
    known->second = intersect(first, complement(sets_[bar])) != CodePointSet{};
  }
  return known->second;
}

BarId Bars::cut(ContenderIndex contender, BarId bar) {
  if (bar == 0) return bar;
  const auto [known, is_new] = cut_.emplace(pair_of(contender, bar), 0);
  if (is_new)
    known->second = of(intersect(sets_[bar], context_.lexing.contenders[contender].first));
  return known->second;
}

BarSet Bars::after_skip(SkipIndex skip, BarId bar) {
  const std::pair key(skip, bar);
  const auto known = after_skip_.find(key);
  if (known != after_skip_.end()) return known->second;
  BarSet result;
  std::vector<BarId> pending{bar};
  BarSet seen;
  while (!pending.empty()) {
    const BarId each = pending.back();
    pending.pop_back();
    if (!seen.insert(each)) continue;
    for (ContenderIndex contender : context_.lexing.skips[skip].contenders) {
      if (!may_begin(contender, each)) continue;
      const BarId next = of(context_.lexing.contenders[contender].not_next);
      result.insert(next);
      pending.push_back(next);
    }
  }
  after_skip_.emplace(key, result);
  return result;
}

}  // namespace xg2lab::lark
