// Follow restrictions ("bars"): sets of characters that may not come next, propagated through the
// nodes of rules.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   A bar concerns a node only in the characters that the node can begin with. So the bar is
//   intersected with these characters, and most bars become empty. The bars that a rule's end
//   leaves for the next node are a fixed point, since rules are recursive.
//
// EXAMPLE   after "if" the bar is [a-z]. With any bar before it, NAME leaves [a-z], and ")" leaves
//           the empty bar.
//
// A *query* is a pair (node, bar), or (rest of a sequence, bar); its answers are the bars that the
// node leaves behind. A new answer is propagated along the query's edges once: to the queries that
// contain it, and to the next child of a sequence, for which a query is then made. So each query is
// expanded once, however many queries depend on it (semi-naive evaluation, as in Datalog).
//
// INVARIANTS   I1  bar 0 is the empty set; equal sets have equal numbers
//              I2  when after() returns, every query has all its answers
//
// COST         the number of queries, and of their edges times the bars that they carry:
//              kMostQueries
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
  BarId pop() {
    const BarId last = bars_.back();
    bars_.pop_back();
    return last;
  }
  friend auto operator<=>(const BarSet&, const BarSet&) = default;

 private:
  std::vector<BarId> bars_;
};

constexpr size_t kMostQueries = 500'000;

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

  bool is_too_large() const { return queries_.size() > kMostQueries; }
  // For tests: linear in the grammar if it has few bars.
  size_t n_steps() const { return n_steps_; }

 private:
  using Key = std::vector<std::pair<uint32_t, uint32_t>>;
  using QueryId = uint32_t;
  // A part of a body that leaves bars behind: a node, the rest of a sequence, or repeated rounds.
  using PartId = uint32_t;
  static constexpr PartId kNoPart = UINT32_MAX;
  struct QueryKey {
    PartId part;
    BarId bar;
  };
  struct Edge {
    QueryId to;   // the query whose answers include this query's answers
    PartId then;  // or the part that comes next, with each of this query's answers as its bar
  };
  struct Query {
    QueryKey key;
    bool is_pending = false;
    BarSet after;              // the answers so far
    std::vector<BarId> fresh;  // of `after`, not propagated yet
    std::vector<Edge> edges;
  };

  // Parts are numbered: nodes, then the rests of sequences, then rounds by their nodes.
  size_t n_nodes() const { return context_.tree.nodes.size(); }
  PartId rest_part(NodeId sequence, size_t from) const {
    return static_cast<PartId>(n_nodes() + rest_begin_[sequence.index()] + from);
  }
  PartId rounds_part(NodeId round) const {
    return static_cast<PartId>(n_nodes() + rest_of_.size() + round.index());
  }
  BarSet complete(QueryKey key);
  QueryKey canonical(QueryKey key);
  std::optional<BarSet> known_at_once(QueryKey key);
  QueryId query(QueryKey key);
  void settle();
  void expand(QueryId id);
  void add(QueryId id, BarId bar);
  void add_edge(QueryKey from, const Edge& edge);
  void propagate(BarId bar, const Edge& edge);
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
  std::vector<NodeId> rest_of_;  // index: part minus the number of nodes; the sequence
  std::deque<Query> queries_;
  std::unordered_map<uint64_t, QueryId> id_of_query_;  // by part and bar
  std::vector<QueryId> unexpanded_;                    // new queries
  std::vector<QueryId> pending_;                       // queries with unpropagated answers
  size_t n_steps_ = 0;
  // Caches.
  std::unordered_map<uint64_t, BarId> before_;  // by node and bar
  std::unordered_map<uint64_t, BarId> cut_to_;  // by SetId and bar
  std::unordered_map<PartId, std::optional<SetId>> first_of_rest_;
  std::unordered_map<uint64_t, bool> may_begin_;     // by contender and bar
  std::unordered_map<uint64_t, BarId> cut_;          // by contender and bar
  std::vector<BarId> not_next_;                      // index: contender
  std::unordered_map<uint64_t, BarSet> after_skip_;  // by skip and bar
};

}  // namespace xg2lab::lark
