// The mask of one column, put together of walks that all contexts share: one for each row of items
// and group of trie nodes.
//
// Twin:  xg2lab/reference/shared_walks.py
// Tests: tests/differential/test_words.py, tests/differential/test_engine_vs_twin.py,
// tests/core/test_context_walk.py
//
// IDEA
//   Which tokens stay within one word, and at which nodes of the trie the word ends, depends on the
//   word's row of items alone (parse/item_rows.h). So a row's walk is made once: the tokens that it
//   takes, and for each row that comes then (an *exit*) the *group* of nodes that go on from there.
//   What a row leads to in this context is a column of a few rows (parse/row_columns.h), and from
//   these the group is walked, which may be known as well.
//
//     behind `f(`: one known walk takes `x`, ` foo`, `"abc`; its exit `)` has the group of all
//     nodes behind `)`, which are walked from what may follow the call: known from other calls,
//     wherever these stood
//
//   Nodes are in a group only if something may come next by their byte in some context (FOLLOW), so
//   names leave few.
//
// INVARIANTS
//   I1  equal groups have equal numbers
//   I2  what is said of a row and a group depends on nothing else
//
// COST      look-ups, as many as exits that lead on. A new walk: its nodes.
// THREADS   any: under its mutex.
// NOT HERE  grammars whose items carry counts; stacks. An ambiguous text may need too many
//           look-ups: then there is no answer.
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
  // The tokens that the column takes by their bytes; nothing if it would take too many look-ups.
  std::optional<AdaptiveMask> mask(ColumnId column);

  // What it has grown by since the last call.
  size_t take_new_bytes();

 private:
  using GroupId = uint32_t;
  struct Group {
    const std::vector<uint32_t>* nodes =
        nullptr;  // of the trie, ascending: to be entered by their bytes
    ItemRows::Bytes bytes;
  };
  struct Exit {
    ItemRows::Id row;
    GroupId group;
  };
  struct KnownWalk {
    AdaptiveMask accepted;
    std::vector<Exit> exits;
  };

  GroupId group_of(std::vector<uint32_t> nodes);
  const KnownWalk& walk(GroupId group, ItemRows::Id scan);
  bool add_all(GroupId group, ItemRows::Id scan, RowColumns::Id origin);
  void add(const AdaptiveMask& accepted);

  const TokenSets& tokens_;
  const TokenTrie& trie_;
  const MaskCosts& costs_;
  std::mutex mutex_;  // guards all below
  ItemRows rows_;
  RowColumns columns_;
  InRow in_row_;
  Interned<uint32_t> nodes_;
  std::vector<Group> groups_;  // index: number in nodes_
  PairMap known_;              // by group and scan: of walks_
  std::deque<KnownWalk> walks_;
  GroupId all_ = 0;
  size_t n_bytes_ = 0;
  size_t n_told_bytes_ = 0;
  // Of the mask in the making.
  std::vector<uint32_t> words_;
  size_t n_steps_left_ = 0;
};

}  // namespace xg2lab
