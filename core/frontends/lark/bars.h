// Bars: characters that may not come next. And which of them a node may leave behind, by what it was given.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   A bar matters to a node only as far as the node could begin with its characters; so it is cut down to that, and most are
//   nothing then. What a rule leaves behind is a fixpoint, as rules call each other.
//
// EXAMPLE   behind "if": [a-z].  NAME makes [a-z] of that, or of nothing. ")" makes nothing of anything.
//
// The fixpoint remembers who asked for what a rule leaves behind: who did is looked at again when that grows.
//
// INVARIANTS   I1  bar 0 is the empty set; equal sets have equal numbers
#pragma once

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <map>
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

class Bars {
 public:
  explicit Bars(const WriterContext& context)
      : context_(context), sets_{{}}, ids_{{Key{}, 0}}, before_rest_(context.tree.nodes.size()) {}

  BarId of(const CodePointSet& set);
  const CodePointSet& operator[](BarId id) const { return sets_[id]; }

  // What is left of a bar before the children of a sequence from `from` on, or before a node.
  BarId before(NodeId node, BarId bar);
  BarId before_rest(const Node& sequence, size_t from, BarId bar);
  // All that may be left behind.
  BarSet after(NodeId node, BarId bar);
  BarSet after_rest(const Node& sequence, size_t from, BarId bar);
  // After one round or, with `again`, any number of them.
  BarSet after_rounds(NodeId round, BarId bar, bool again);
  // Of contenders, and of what is ignored (once or more often).
  bool may_begin(ContenderIndex contender, BarId bar);
  BarId cut(ContenderIndex contender, BarId bar);
  BarSet after_skip(SkipIndex skip, BarId bar);

  // Until nothing is added any more: `after` is complete then for all that was asked before.
  void settle();
  bool is_too_large() const { return asked_.size() > kMostCopies; }

 private:
  using Key = std::vector<std::pair<uint32_t, uint32_t>>;
  const CodePointSet& first_of(NodeId node);
  const CodePointSet& first_of_symbols(const SymbolSet& symbols);
  BarSet after_leaf(NodeId node, const Leaf& leaf, BarId bar);
  const BarSet& after_rule(size_t rule, BarId bar);
  static uint64_t pair_of(size_t a, size_t b) { return uint64_t{a} << 32 | b; }

  const WriterContext& context_;
  std::vector<CodePointSet> sets_;
  std::map<Key, BarId> ids_;
  std::map<SymbolSet, CodePointSet> firsts_;
  // What a rule leaves behind of a bar.
  struct Asked {
    size_t rule;
    BarId bar;
    BarSet after;
    std::vector<uint32_t> askers;  // of asked_
    bool is_pending = true;
  };
  static constexpr uint32_t kNobody = UINT32_MAX;
  std::deque<Asked> asked_;
  std::unordered_map<uint64_t, uint32_t> index_of_asked_;  // by rule and bar
  std::vector<uint32_t> pending_;                          // of asked_
  uint32_t asker_ = kNobody;                               // whose body is looked at
  // What was worked out.
  std::unordered_map<uint64_t, BarId> before_;                    // by node and bar
  std::vector<std::unordered_map<uint64_t, BarId>> before_rest_;  // index: node; by child and bar
  std::unordered_map<uint64_t, bool> may_begin_;                  // by contender and bar
  std::unordered_map<uint64_t, BarId> cut_;                       // likewise
  std::map<std::pair<SkipIndex, BarId>, BarSet> after_skip_;
};

}  // namespace xg2lab::lark
