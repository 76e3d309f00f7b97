// Follow restrictions ("bars"): sets of characters that may not come next, propagated through the
// nodes of rules.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   A bar concerns a node only in the characters that the node can begin with. So the bar is
//   intersected with these characters, and most bars become empty. Which bars a rule leaves behind,
//   for the node that follows it, is a fixed point, since rules are recursive.
//
// EXAMPLE   behind "if" the bar is [a-z]. Whatever bar stands before it, NAME leaves [a-z], and ")"
//           leaves the empty bar.
//
// An *item* is a pair (node, bar), or (rest of a sequence, bar), with the set of bars left behind.
// A bar that is new in an item is propagated along its edges once: into the items that contain it,
// and to the next child of a sequence, for which an item is then created. So each item is processed
// once, however many items depend on it (semi-naive evaluation, as in Datalog).
//
// INVARIANTS   I1  bar 0 is the empty set; equal sets have equal numbers
//              I2  after `after`, all items are complete
//
// COST         the number of items, and of their edges times the bars that they carry: kMostItems
#pragma once

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontends/lark/writer.h"
#include "support/sort_unique.h"

namespace xg2lab::lark {

using BarId = uint32_t;

// A small set of bars, ascending.
class BarSet {
 public:
  BarSet() = default;
  BarSet(std::initializer_list<BarId> bars) : bars_(bars) { sort_unique(bars_); }

  auto begin() const { return bars_.begin(); }
  auto end() const { return bars_.end(); }
  bool empty() const { return bars_.empty(); }
  size_t size() const { return bars_.size(); }
  bool contains(BarId bar) const { return std::binary_search(begin(), end(), bar); }
  // Returns whether the bar is new.
  bool insert(BarId bar) {
    const auto at = std::lower_bound(bars_.begin(), bars_.end(), bar);
    if (at != bars_.end() && *at == bar) return false;
    bars_.insert(at, bar);
    return true;
  }
  void merge(const BarSet& other) {
    for (BarId bar : other) insert(bar);
  }
  BarId pop() {
    const BarId last = bars_.back();
    bars_.pop_back();
    return last;
  }
  friend auto operator<=>(const BarSet&, const BarSet&) = default;

 private:
  std::vector<BarId> bars_;
};

constexpr size_t kMostItems = 500'000;

class Bars {
 public:
  explicit Bars(const WriterContext& context);

  BarId of(const CodePointSet& set);
  const CodePointSet& operator[](BarId id) const { return sets_[id]; }

  // The part of the bar that concerns a node, or the children of a sequence from `from` on.
  BarId before(NodeId node, BarId bar);
  BarId before_rest(NodeId sequence, size_t from, BarId bar);
  // The bars that the node may leave behind.
  BarSet after(NodeId node, BarId bar);
  BarSet after_rest(NodeId sequence, size_t from, BarId bar);
  // The bars left after one round or, with `again`, any number of rounds.
  BarSet after_rounds(NodeId round, BarId bar, bool again);
  // Whether the text after the bar may begin with the contender, or with ignored text (once or more
  // often).
  bool may_begin(ContenderIndex contender, BarId bar);
  BarId cut(ContenderIndex contender, BarId bar);
  BarId not_next(ContenderIndex contender);
  const BarSet& after_skip(SkipIndex skip, BarId bar);

  bool is_too_large() const { return items_.size() > kMostItems; }
  // For tests: linear in the grammar if it has few bars.
  size_t n_steps() const { return n_steps_; }

 private:
  using Key = std::vector<std::pair<uint32_t, uint32_t>>;
  using ItemId = uint32_t;
  // An object that leaves bars behind: a node, the rest of a sequence, or the rounds of a node.
  using Spot = uint32_t;
  static constexpr Spot kNoSpot = UINT32_MAX;
  struct Place {
    Spot spot;
    BarId bar;
  };
  struct Edge {
    ItemId to;  // the item that contains this item's result
    Spot then;  // or the spot that continues from this item's result
  };
  struct Item {
    Place place;
    bool is_pending = false;
    BarSet after;
    std::vector<BarId> fresh;  // of `after`, not propagated yet
    std::vector<Edge> edges;
  };

  // Spots are numbered: nodes, then the rests of sequences, then rounds by their nodes.
  size_t n_nodes() const { return context_.tree.nodes.size(); }
  Spot rest_spot(NodeId sequence, size_t from) const {
    return static_cast<Spot>(n_nodes() + rest_begin_[sequence.index()] + from);
  }
  Spot rounds_spot(NodeId round) const {
    return static_cast<Spot>(n_nodes() + rest_of_.size() + round.index());
  }
  BarSet complete(Place place);
  Place canonical(Place place);
  std::optional<BarSet> known_at_once(Place place);
  ItemId item(Place place);
  void settle();
  void expand(ItemId id);
  void add(ItemId id, BarId bar);
  void add_edge(Place from, const Edge& edge);
  void hand_on(BarId bar, const Edge& edge);
  BarSet after_leaf(NodeId node, const Leaf& leaf, BarId bar);

  BarId cut_to(SetId symbols, BarId bar);
  const CodePointSet& first_of_symbols(SetId symbols);
  std::optional<SetId> first_of_rest(NodeId sequence, size_t from);
  static uint64_t pair_of(size_t a, size_t b) { return uint64_t{a} << 32 | b; }

  const WriterContext& context_;
  std::vector<CodePointSet> sets_;
  std::map<Key, BarId> ids_;
  std::vector<CodePointSet> first_of_terminal_;  // index: terminal, over all its uses
  CodePointSet first_of_skips_;
  std::unordered_map<uint32_t, CodePointSet> firsts_;  // by SetId
  std::vector<uint32_t> rest_begin_;                   // index: NodeId of a sequence
  std::vector<NodeId> rest_of_;  // index: spot minus the number of nodes; the sequence
  std::deque<Item> items_;
  std::unordered_map<uint64_t, ItemId> index_of_item_;  // by spot and bar
  std::vector<ItemId> made_;                            // not expanded yet
  std::vector<ItemId> pending_;                         // items with unpropagated bars
  size_t n_steps_ = 0;
  // Caches.
  std::unordered_map<uint64_t, BarId> before_;  // by node and bar
  std::unordered_map<uint64_t, BarId> cut_to_;  // by SetId and bar
  std::unordered_map<Spot, std::optional<SetId>> first_of_rest_;
  std::unordered_map<uint64_t, bool> may_begin_;     // by contender and bar
  std::unordered_map<uint64_t, BarId> cut_;          // by contender and bar
  std::vector<BarId> not_next_;                      // index: contender
  std::unordered_map<uint64_t, BarSet> after_skip_;  // by skip and bar
};

}  // namespace xg2lab::lark
