// Follow restrictions ("bars"): the characters that may not come next, propagated through each
// node.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   A bar matters to a node only as far as the node could begin with its characters; so it is cut down to that, and most are
//   nothing then. What a rule leaves behind is a fixpoint, as rules call each other.
//
// EXAMPLE   behind "if": [a-z].  NAME makes [a-z] of that, or of nothing. ")" makes nothing of anything.
//
// What a node leaves behind of a bar is an *item*; so is what the rest of a sequence leaves
// behind, from one of its children on. What is new in an item goes along its edges, once each:
// into the items that contain it, and to the next child of a sequence, for which an item is made
// then. So each item is looked at once, however often others ask for it (semi-naive evaluation,
// Datalog's).
//
// INVARIANTS   I1  bar 0 is the empty set; equal sets have equal numbers
//              I2  after `after`, all items are complete
//
// COST         items, and their edges times the bars that they carry: kMostItems
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

// A set of few bars, ascending.
class BarSet {
 public:
  BarSet() = default;
  BarSet(std::initializer_list<BarId> bars) : bars_(bars) { sort_unique(bars_); }

  auto begin() const { return bars_.begin(); }
  auto end() const { return bars_.end(); }
  bool empty() const { return bars_.empty(); }
  size_t size() const { return bars_.size(); }
  bool contains(BarId bar) const { return std::binary_search(begin(), end(), bar); }
  // Whether it is new.
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

  // What is left of a bar before the children of a sequence from `from` on, or before a node.
  BarId before(NodeId node, BarId bar);
  BarId before_rest(NodeId sequence, size_t from, BarId bar);
  // All that may be left behind.
  BarSet after(NodeId node, BarId bar);
  BarSet after_rest(NodeId sequence, size_t from, BarId bar);
  // After one round or, with `again`, any number of them.
  BarSet after_rounds(NodeId round, BarId bar, bool again);
  // Of contenders, and of what is ignored (once or more often).
  bool may_begin(ContenderIndex contender, BarId bar);
  BarId cut(ContenderIndex contender, BarId bar);
  BarId not_next(ContenderIndex contender);
  const BarSet& after_skip(SkipIndex skip, BarId bar);

  bool is_too_large() const { return items_.size() > kMostItems; }
  // For tests: linear in the grammar where there are few bars.
  size_t n_steps() const { return n_steps_; }

 private:
  using Key = std::vector<std::pair<uint32_t, uint32_t>>;
  using ItemId = uint32_t;
  // Where something is left behind: at a node, at the rest of a sequence, after rounds of a node.
  using Spot = uint32_t;
  static constexpr Spot kNoSpot = UINT32_MAX;
  struct Place {
    Spot spot;
    BarId bar;
  };
  struct Edge {
    ItemId to;  // contains what is left behind here
    Spot then;  // or what this leaves behind of that
  };
  struct Item {
    Place place;
    bool is_pending = false;
    BarSet after;
    std::vector<BarId> fresh;  // of `after`, not handed on yet
    std::vector<Edge> edges;
  };

  // Spots: nodes, then the rests of sequences, then rounds by their nodes.
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
  std::vector<CodePointSet> first_of_terminal_;  // index: terminal, at whatever place
  CodePointSet first_of_skips_;
  std::unordered_map<uint32_t, CodePointSet> firsts_;  // by SetId
  // Items.
  std::vector<uint32_t> rest_begin_;  // index: NodeId of a sequence
  std::vector<NodeId> rest_of_;       // index: spot, behind the nodes. The sequence
  std::deque<Item> items_;
  std::unordered_map<uint64_t, ItemId> index_of_item_;  // by spot and bar
  std::vector<ItemId> made_;                            // not expanded yet
  std::vector<ItemId> pending_;                         // with something fresh
  size_t n_steps_ = 0;
  // What was worked out.
  std::unordered_map<uint64_t, BarId> before_;  // by node and bar
  std::unordered_map<uint64_t, BarId> cut_to_;  // by SetId and bar
  std::unordered_map<Spot, std::optional<SetId>> first_of_rest_;
  std::unordered_map<uint64_t, bool> may_begin_;     // by contender and bar
  std::unordered_map<uint64_t, BarId> cut_;          // likewise
  std::vector<BarId> not_next_;                      // index: contender
  std::unordered_map<uint64_t, BarSet> after_skip_;  // by skip and bar
};

}  // namespace xg2lab::lark
