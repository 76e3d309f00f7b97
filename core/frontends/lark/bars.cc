// Read: after (what a node leaves behind), settle (the fixpoint), then what bars are cut down to.
#include "frontends/lark/bars.h"

#include <algorithm>

#include "support/deadline.h"

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
    const BarId each = *pending.begin();
    pending.erase(pending.begin());
    if (!known.insert(each).second) continue;
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
    case LeafKind::kRule: {
      const std::pair key(leaf.index, bar);
      const auto [known, is_new] = after_rule_.emplace(key, BarSet{});
      if (is_new) asked_.push_back(key);
      return known->second;
    }
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

void Bars::settle() {
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (size_t i = 0; i < asked_.size() && !is_too_large(); ++i) {
      const auto [rule, bar] = asked_[i];
      check_deadline("what rules leave behind");
      const BarSet result = after(context_.resolved.definitions[rule].body, bar);
      BarSet& known = after_rule_[asked_[i]];
      const size_t before = known.size();
      known.insert(result.begin(), result.end());
      has_changed = has_changed || known.size() != before;
    }
  }
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
  return of(intersect(sets_[bar], first_of(node)));
}

BarId Bars::before_rest(const Node& sequence, size_t from, BarId bar) {
  if (bar == 0) return bar;
  SymbolSet first(context_.neighbours.n_symbols());
  for (size_t i = from; i < sequence.children.size(); ++i) {
    const size_t child = sequence.children[i].index();
    first.add(context_.neighbours.first[child]);
    if (!context_.neighbours.may_be_empty[child])
      return of(intersect(sets_[bar], first_of_symbols(first)));
  }
  return bar;
}

// ---- Tokens, and what is ignored ----

bool Bars::may_begin(ContenderIndex contender, BarId bar) const {
  const CodePointSet& first = context_.lexing.contenders[contender].first;
  return intersect(first, complement(sets_[bar])) != CodePointSet{};
}

BarId Bars::cut(ContenderIndex contender, BarId bar) {
  return of(intersect(sets_[bar], context_.lexing.contenders[contender].first));
}

BarSet Bars::after_skip(SkipIndex skip, BarId bar) {
  const std::pair key(skip, bar);
  const auto known = after_skip_.find(key);
  if (known != after_skip_.end()) return known->second;
  BarSet result;
  std::vector<BarId> pending{bar};
  std::set<BarId> seen;
  while (!pending.empty()) {
    const BarId each = pending.back();
    pending.pop_back();
    if (!seen.insert(each).second) continue;
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
