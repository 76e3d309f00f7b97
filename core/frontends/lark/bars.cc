// Read: complete, expand (a query's edges), propagate (along them), then the intersection
// of bars with first characters.
#include "frontends/lark/bars.h"

#include <algorithm>
#include <utility>

#include "support/budget.h"

namespace xg2lab::lark {

Bars::Bars(const WriterContext& context)
    : context_(context), sets_{{}}, ids_{{Key{}, 0}}, rest_begin_(context.tree.nodes.size()) {
  for (size_t i = 0; i < context.tree.nodes.size(); ++i) {
    const Node& node = context.tree.nodes[i];
    if (node.kind != NodeKind::kSequence) continue;
    rest_begin_[i] = static_cast<uint32_t>(rest_of_.size());
    rest_of_.insert(rest_of_.end(), node.children.size() + 1, NodeId(i));
  }
  first_of_terminal_.resize(context.neighbours.n_terminals());
  for (const Contender& contender : context.lexing.contenders) {
    CodePointSet& first = first_of_terminal_[contender.terminal];
    first.insert(first.end(), contender.first.begin(), contender.first.end());
  }
  for (CodePointSet& first : first_of_terminal_) first = normal(std::move(first));
  for (const Skip& skip : context.lexing.skips) {
    first_of_skips_.insert(first_of_skips_.end(), skip.first.begin(), skip.first.end());
  }
  first_of_skips_ = normal(std::move(first_of_skips_));
}

BarId Bars::of(const CodePointSet& set) {
  if (set.empty()) return 0;
  Key key;
  for (const CodePointRange& range : set) key.emplace_back(range.lo, range.hi);
  const auto [known, is_new] = ids_.emplace(std::move(key), static_cast<BarId>(sets_.size()));
  if (is_new) sets_.push_back(set);
  return known->second;
}

// ---- Bars left behind ----

BarSet Bars::after(NodeId node, BarId bar) {
  return complete({static_cast<PartId>(node.index()), bar});
}

BarSet Bars::after_rest(NodeId sequence, size_t from, BarId bar) {
  return complete({rest_part(sequence, from), before_rest(sequence, from, bar)});
}

BarSet Bars::after_rounds(NodeId round, BarId bar, bool again) {
  return complete(
      {again ? rounds_part(round) : static_cast<PartId>(round.index()), before(round, bar)});
}

BarSet Bars::complete(QueryKey key) {
  key = canonical(key);
  if (auto known = known_at_once(key)) return *known;
  const QueryId id = query(key);
  settle();
  return queries_[id].after;
}

// A sequence is the same part as the rest of it from its first child on.
Bars::QueryKey Bars::canonical(QueryKey key) {
  if (key.part >= n_nodes()) return key;
  const NodeId node(key.part);
  const bool is_sequence = context_.neighbours.leaf(node).kind == LeafKind::kNone &&
                           context_.tree[node].kind == NodeKind::kSequence;
  return is_sequence ? QueryKey{rest_part(node, 0), before_rest(node, 0, key.bar)} : key;
}

// The answers for parts that need no query: terminals, other leaves, and parts without a bar.
std::optional<BarSet> Bars::known_at_once(QueryKey key) {
  if (key.part >= n_nodes() + rest_of_.size()) return std::nullopt;
  if (key.part >= n_nodes()) {
    const NodeId sequence = rest_of_[key.part - n_nodes()];
    const bool is_over = key.part == rest_part(sequence, context_.tree[sequence].children.size());
    return is_over ? std::optional(BarSet{key.bar}) : std::nullopt;
  }
  const NodeId node(key.part);
  const Leaf& leaf = context_.neighbours.leaf(node);
  if (leaf.kind == LeafKind::kRule) return std::nullopt;
  if (leaf.kind != LeafKind::kNone) return after_leaf(node, leaf, key.bar);
  return context_.tree[node].children.empty() ? std::optional(BarSet{key.bar}) : std::nullopt;
}

Bars::QueryId Bars::query(QueryKey key) {
  const auto [known, is_new] =
      id_of_query_.emplace(pair_of(key.part, key.bar), static_cast<QueryId>(queries_.size()));
  if (is_new) {
    queries_.push_back({key, false, {}, {}, {}});
    unexpanded_.push_back(known->second);
  }
  return known->second;
}

// New queries are expanded before known answers are propagated. Both lists are empty exactly when
// every answer of every query has been propagated along all of its edges.
void Bars::settle() {
  while ((!unexpanded_.empty() || !pending_.empty()) && !is_too_large()) {
    if (++n_steps_ % 1024 == 0) check_budget("computing follow restrictions");
    if (!unexpanded_.empty()) {
      const QueryId id = unexpanded_.back();
      unexpanded_.pop_back();
      expand(id);
      continue;
    }
    Query& query = queries_[pending_.back()];
    pending_.pop_back();
    query.is_pending = false;
    const std::vector<BarId> fresh = std::exchange(query.fresh, {});
    // An edge that is added meanwhile receives the known answers in add_edge.
    const size_t n_edges = query.edges.size();
    for (size_t i = 0; i < n_edges; ++i) {
      const Edge edge = query.edges[i];
      for (BarId bar : fresh) propagate(bar, edge);
    }
  }
}

// Adds the edges of a query: one from each query whose answers are answers of this one.
void Bars::expand(QueryId id) {
  const auto [part, bar] = queries_[id].key;
  if (part >= n_nodes() + rest_of_.size()) {
    const NodeId round(part - n_nodes() - rest_of_.size());
    const QueryKey once{static_cast<PartId>(round.index()), bar};
    add_edge(once, {id, kNoPart});
    return add_edge(once, {id, part});
  }
  if (part >= n_nodes()) {
    const NodeId sequence = rest_of_[part - n_nodes()];
    const std::vector<NodeId>& children = context_.tree[sequence].children;
    const size_t from = part - rest_part(sequence, 0);
    const NodeId child = children[from];
    const bool is_last = from + 1 == children.size();
    return add_edge({static_cast<PartId>(child.index()), before(child, bar)},
                    {id, is_last ? kNoPart : part + 1});
  }
  const NodeId node(part);
  const Leaf& leaf = context_.neighbours.leaf(node);
  if (leaf.kind == LeafKind::kRule) {
    const NodeId body = context_.resolved.definitions[leaf.index].body;
    return add_edge({static_cast<PartId>(body.index()), bar}, {id, kNoPart});
  }
  const Node& here = context_.tree[node];
  const bool is_repeat = here.kind == NodeKind::kRepeat;
  if (is_repeat && here.min == 0) add(id, bar);
  for (NodeId child : here.children) {
    const PartId once = static_cast<PartId>(child.index());
    add_edge({is_repeat && here.max != 1 ? rounds_part(child) : once, before(child, bar)},
             {id, kNoPart});
  }
}

void Bars::add(QueryId id, BarId bar) {
  Query& query = queries_[id];
  if (!query.after.insert(bar)) return;
  query.fresh.push_back(bar);
  if (std::exchange(query.is_pending, true)) return;
  pending_.push_back(id);
}

void Bars::add_edge(QueryKey from, const Edge& edge) {
  ++n_steps_;
  from = canonical(from);
  if (const auto known = known_at_once(from)) {
    for (BarId bar : *known) propagate(bar, edge);
    return;
  }
  Query& query = queries_[this->query(from)];
  query.edges.push_back(edge);
  const std::vector<BarId> fresh = query.fresh;  // these answers are propagated separately
  const BarSet after = query.after;
  for (BarId bar : after) {
    if (std::ranges::find(fresh, bar) == fresh.end()) propagate(bar, edge);
  }
}

// A bar left by one child is either an answer of the containing query, or the bar before the next
// child, for which a query is made now.
void Bars::propagate(BarId bar, const Edge& edge) {
  ++n_steps_;
  if (edge.then == kNoPart) return add(edge.to, bar);
  if (edge.then >= n_nodes() + rest_of_.size()) {
    const NodeId round(edge.then - n_nodes() - rest_of_.size());
    return add_edge({edge.then, before(round, bar)}, {edge.to, kNoPart});
  }
  const NodeId sequence = rest_of_[edge.then - n_nodes()];
  const size_t from = edge.then - rest_part(sequence, 0);
  add_edge({edge.then, before_rest(sequence, from, bar)}, {edge.to, kNoPart});
}

BarSet Bars::after_leaf(NodeId id, const Leaf& leaf, BarId bar) {
  const bool may_be_empty = context_.neighbours.may_be_empty(id);
  BarSet result;
  if (may_be_empty) result.insert(bar);
  if (leaf.kind != LeafKind::kTerminal) {
    result.insert(0);
    return result;
  }
  // Ignored text may precede the terminal. The terminal leaves the characters that may not follow
  // it, whatever bar it was restricted by.
  BarSet before = after_skip(context_.lexing.skip_at[id.index()], bar);
  before.insert(bar);
  for (ContenderIndex contender : context_.lexing.contenders_at[id.index()]) {
    const bool may_stand = std::any_of(before.begin(), before.end(),
                                       [&](BarId each) { return may_begin(contender, each); });
    if (may_stand) result.insert(not_next(contender));
  }
  return result;
}

// ---- Intersecting bars with first characters ----

const CodePointSet& Bars::first_of_symbols(SetId symbols) {
  const auto [known, is_new] = firsts_.emplace(symbols.value, CodePointSet());
  CodePointSet& first = known->second;
  if (!is_new) return first;
  const auto take = [&first](const CodePointSet& more) {
    first.insert(first.end(), more.begin(), more.end());
  };
  const size_t n_terminals = context_.neighbours.n_terminals();
  context_.neighbours.sets().for_each(symbols, [&](size_t symbol) {
    ++n_steps_;
    if (symbol < n_terminals) take(first_of_terminal_[symbol]);
    else if (symbol - n_terminals < context_.opaque.size())
      take(context_.opaque[symbol - n_terminals].first);
  });
  take(first_of_skips_);
  first = normal(std::move(first));
  return first;
}

BarId Bars::before(NodeId node, BarId bar) {
  if (bar == 0 || context_.neighbours.may_be_empty(node)) return bar;
  const auto [known, is_new] = before_.emplace(pair_of(node.index(), bar), 0);
  if (is_new) {
    const SetId first = context_.neighbours.first(node);
    known->second = cut_to(first, bar);
  }
  return known->second;
}

BarId Bars::before_rest(NodeId sequence, size_t from, BarId bar) {
  if (bar == 0) return bar;
  const auto first = first_of_rest(sequence, from);
  return first ? cut_to(*first, bar) : bar;
}

BarId Bars::cut_to(SetId symbols, BarId bar) {
  const auto [known, is_new] = cut_to_.emplace(pair_of(symbols.value, bar), 0);
  if (is_new) known->second = of(intersect(sets_[bar], first_of_symbols(symbols)));
  return known->second;
}

// Nothing if all of the rest may be empty.
std::optional<SetId> Bars::first_of_rest(NodeId sequence, size_t from) {
  const PartId part = rest_part(sequence, from);
  const auto known = first_of_rest_.find(part);
  if (known != first_of_rest_.end()) return known->second;
  const std::vector<NodeId>& children = context_.tree[sequence].children;
  Neighbours& neighbours = context_.neighbours;
  size_t end = from;
  while (end < children.size() && neighbours.may_be_empty(children[end]) &&
         !first_of_rest_.contains(rest_part(sequence, end))) {
    ++end;
  }
  std::optional<SetId> first;
  if (const auto behind = first_of_rest_.find(rest_part(sequence, end));
      behind != first_of_rest_.end()) {
    first = behind->second;
  } else if (end < children.size()) {
    first = neighbours.first(children[end]);
    first_of_rest_.emplace(rest_part(sequence, end), first);
  }
  for (size_t at = end; at-- > from;) {
    if (first) first = neighbours.sets().unite(*first, neighbours.first(children[at]));
    first_of_rest_.emplace(rest_part(sequence, at), first);
  }
  return first;
}

// ---- Tokens and ignored text ----

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

BarId Bars::not_next(ContenderIndex contender) {
  constexpr BarId kUnknown = UINT32_MAX;
  if (not_next_.empty()) not_next_.assign(context_.lexing.contenders.size(), kUnknown);
  BarId& known = not_next_[contender];
  if (known == kUnknown) known = of(context_.lexing.contenders[contender].not_next);
  return known;
}

const BarSet& Bars::after_skip(SkipIndex skip, BarId bar) {
  const auto [known, is_new] = after_skip_.emplace(pair_of(skip, bar), BarSet());
  BarSet& result = known->second;
  if (!is_new) return result;
  std::vector<BarId> pending{bar};
  BarSet seen;
  while (!pending.empty()) {
    const BarId each = pending.back();
    pending.pop_back();
    if (!seen.insert(each)) continue;
    for (ContenderIndex contender : context_.lexing.skips[skip].contenders) {
      ++n_steps_;
      if (!may_begin(contender, each)) continue;
      const BarId next = not_next(contender);
      result.insert(next);
      pending.push_back(next);
    }
  }
  return result;
}

}  // namespace xg2lab::lark
