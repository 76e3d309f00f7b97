// The mask of one column, assembled from walks that all contexts share: one walk for each row
// (LR(0) set) and group of trie nodes.
//
// Twin:  xg2lab/reference/shared_walks.py
// Tests: tests/differential/test_words.py, tests/differential/test_engine_vs_twin.py,
// tests/core/test_context_walk.py
//
// IDEA
//   The tokens that stay within one word, and the trie nodes at which the word ends, depend only on
//   the word's row: the items of one origin, stored without it (parse/rows.h). So a row is
//   walked once. The result holds the accepted tokens and, for each row that may continue (a
//   *leaving*), the *group* of nodes at which that row continues. In a given context the row leads
//   to a column of a few rows (parse/row_columns.h). The group is then walked from each of
//   these rows, and that walk may be known as well.
//
//     after `f(`: one known walk accepts `x`, ` foo`, `"abc`. Its leaving by `)` has the group of
//     all nodes after `)`. The group is walked from what may follow the call: a walk known from
//     other calls, whatever their context.
//
//   A node is in a group only if some context can continue with the node's byte (FOLLOW), so names
//   have few leavings.
//
// INVARIANTS
//   I1  equal groups have equal numbers
//   I2  the walk of a row and a group depends on nothing else
//
// COST      look-ups, one for each leaving that can continue. A new walk: its nodes.
// THREADS   any: under its mutex.
// NOT HERE  grammars whose items carry counts; parsing with stacks. An ambiguous text may need too
//           many look-ups: then mask() returns none.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "mask/plan/plan.h"
#include "mask/sets/adaptive_mask.h"
#include "mask/walk/in_row.h"
#include "parse/row_columns.h"

namespace xg2lab {

class RowWalks {
 public:
  RowWalks(const ColumnTable& table, const TokenSets& tokens, const MaskOptions& options);

  static bool may_walk(const Program& program, const ParseOptions& options) {
    return options.parser == ParserKind::kEarley && !program.has_counts();
  }
  // The tokens that the column accepts by their bytes; none if that would take too many look-ups.
  std::optional<AdaptiveMask> mask(ColumnId column);

  // The bytes by which this object has grown since the last call.
  size_t take_new_bytes();

 private:
  using GroupId = uint32_t;
  struct NodeGroup {
    std::span<const uint32_t> nodes;  // of the trie, ascending: to be entered by their bytes
    Rows::Bytes bytes;
  };
  struct Leaving {
    Rows::Id row;
    GroupId group;
  };
  struct KnownWalk {
    AdaptiveMask accepted;
    std::vector<Leaving> leaving;
  };

  GroupId group_of(std::vector<uint32_t> nodes);
  const KnownWalk& walk(GroupId group, Rows::Id scan);
  bool add_all(GroupId group, Rows::Id scan, RowColumns::Id origin);
  void add(const AdaptiveMask& accepted);

  const TokenSets& tokens_;
  const TokenTrie& trie_;
  const MaskCosts& costs_;
  std::mutex mutex_;  // guards all below
  CountSets counts_;  // no place carries counts
  Rows rows_;
  RowColumns columns_;
  InRow in_row_;
  Interned<uint32_t> nodes_;
  std::vector<NodeGroup> groups_;  // index: number in nodes_
  PairMap known_;                  // by group and scan: index in walks_
  std::deque<KnownWalk> walks_;
  GroupId all_ = 0;
  size_t n_bytes_ = 0;
  size_t n_told_bytes_ = 0;
  // The state of the current mask().
  std::vector<uint32_t> words_;
  size_t n_steps_left_ = 0;
};

}  // namespace xg2lab
