// The mask of one column, put together of walks that all contexts share: one for each row of items and group of trie nodes.
//
// Twin:  xg2lab/reference/shared_walks.py
// Tests: tests/differential/test_words.py, tests/differential/test_engine_vs_twin.py, tests/core/test_context_walk.py
//
// IDEA
//   Which tokens stay within one word, and at which nodes of the trie the word ends, depends on the word's row of items
//   alone (parse/item_rows.h). So a row's walk is made once: the tokens that it takes, and for each row that comes then (an
//   *exit*) the *group* of nodes that go on from there. What a row leads to in this context is a column of a few rows
//   (parse/row_columns.h), and from these the group is walked, which may be known as well.
//
//     behind `f(`: one known walk takes `x`, ` foo`, `"abc`; its exit `)` has the group of all nodes behind `)`, which are
//     walked from what may follow the call: known from other calls, wherever these stood
//
//   Nodes are in a group only if something may come next by their byte in some context (FOLLOW), so names leave few.
//
// INVARIANTS
//   I1  equal groups have equal numbers
//   I2  what is said of a row and a group depends on nothing else
//
// COST      look-ups, as many as exits that lead on. A new walk: its nodes.
// THREADS   any: under its mutex.
// NOT HERE  grammars whose items carry counts; stacks. An ambiguous text may need too many look-ups: then there is no answer.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "automata/utf8_places.h"
#include "mask/adaptive_mask.h"
#include "parse/row_columns.h"

namespace xg2lab {

class RowWalks {
 public:
  RowWalks(const ColumnTable& table, const TokenSets& tokens);

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
  struct RowWalk {
    AdaptiveMask accepted;
    std::vector<Exit> exits;
  };
  struct Leaving {
    ItemRows::Id row;
    std::vector<uint32_t> nodes;
  };
  // What a walk has found so far.
  struct Found {
    std::vector<RankRange> accepted;  // ascending
    std::vector<Leaving> leaving;
    void accept(uint32_t begin, uint32_t end) { extend(accepted, begin, end); }
    void leave(ItemRows::Id row, uint32_t node) { leaving_by(row).nodes.push_back(node); }
    Leaving& leaving_by(ItemRows::Id row);
    void add(const Found& other);
    size_t memory_size_bytes() const;
  };

  // Where most characters lead from a row to itself.
  struct Home {
    std::shared_ptr<const TextClass> text;  // null: they don't
    ItemRows::Id row = 0;                   // what has ended after each of them
  };

  GroupId group_of(std::vector<uint32_t> nodes);
  const RowWalk& walk(GroupId group, ItemRows::Id scan);
  void walk_nodes(uint32_t begin, uint32_t end, ItemRows::Id scan, Found& found);
  struct Above;
  void leave_by_children(uint32_t node, const Above& here, Found& found);
  const Found& below(uint32_t node, ItemRows::Id scan);
  void stay_home(uint32_t top, ItemRows::Id scan, const Home& home, Found& found);
  const Home& home_of(ItemRows::Id scan);
  bool comes_home(ItemRows::Step at, Utf8Place place, ItemRows::Step home);
  bool add_all(GroupId group, ItemRows::Id scan, RowColumns::Id origin);
  void add(const AdaptiveMask& accepted);

  const TokenSets& tokens_;
  const TokenTrie& trie_;
  const Program& program_;
  std::mutex mutex_;  // guards all below
  ItemRows rows_;
  RowColumns columns_;
  Interned<uint32_t> nodes_;
  std::vector<Group> groups_;  // index: number in nodes_
  PairMap known_;              // by group and scan: of walks_
  std::deque<RowWalk> walks_;
  GroupId all_ = 0;
  size_t n_bytes_ = 0;
  size_t n_told_bytes_ = 0;
  // Of the mask in the making.
  std::vector<uint32_t> words_;
  size_t n_steps_left_ = 0;
  // By depth, of the walk in the making.
  struct Above {
    const ItemRows::Step* steps = nullptr;    // null: no place goes on
    const ItemRows::Bytes* follow = nullptr;  // null: nothing is left
    ItemRows::Id scan = 0;
    ItemRows::Id row = 0;
  };
  std::vector<Above> above_;
  PairMap known_below_;  // by node and scan: of below_
  std::deque<Found> below_;
  std::deque<std::optional<Home>> homes_;  // index: scan
};

}  // namespace xg2lab
