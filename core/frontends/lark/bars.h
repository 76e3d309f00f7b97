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
// INVARIANTS   I1  bar 0 is the empty set; equal sets have equal numbers
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "frontends/lark/writer.h"

namespace xg2lab::lark {

using BarId = uint32_t;
using BarSet = std::set<BarId>;

class Bars {
 public:
  explicit Bars(const WriterContext& context) : context_(context), sets_{{}}, ids_{{Key{}, 0}} {}

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
  bool may_begin(ContenderIndex contender, BarId bar) const;
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

  const WriterContext& context_;
  std::vector<CodePointSet> sets_;
  std::map<Key, BarId> ids_;
  std::map<SymbolSet, CodePointSet> firsts_;
  std::map<std::pair<size_t, BarId>, BarSet> after_rule_;  // a rule and a bar
  std::vector<std::pair<size_t, BarId>> asked_;            // its keys, in the order of asking
  std::map<std::pair<SkipIndex, BarId>, BarSet> after_skip_;
};

}  // namespace xg2lab::lark
