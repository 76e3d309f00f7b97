// A home: a column that most characters lead back to, as free text and the inside of a string have.
//
// Tests: tests/core/test_free_text.py
//
// IDEA
//   Where a trie walk's inside stands at home, whole subtrees are accepted but for the nodes that begin a
//   character which leads elsewhere: those are walked, and nothing else. What the walk leaves out would have
//   come home after every character, alive all the way, so it is accepted by every walk.
//
//   string ::= "\"" [^"\\]* "\"": after `"` only `"`, `\` and malformed bytes lead elsewhere.
//   digits ::= [0-9]+: 10 characters lead home, all others elsewhere. No home: the plain walk is cheaper.
//
// COST      finding: about 400 steps of the table, most of them known. The walk: O(nodes that lead elsewhere).
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "mask/token_sets.h"
#include "parse/column_table.h"

namespace xg2lab {

class Home {
 public:
  ColumnId column() const { return column_; }
  // The column after the first byte of a character that leads home; kDead for all others.
  ColumnId after(uint8_t first_byte) const { return after_[first_byte]; }
  // Whether the goal may be complete at home, or on the way there.
  bool may_end() const { return may_end_; }
  bool leads_elsewhere(uint32_t node) const {
    return ((elsewhere_[node / 64] >> (node % 64)) & 1u) != 0;
  }
  size_t n_elsewhere() const { return n_elsewhere_; }  // nodes, at most
  // The first node from `begin` on, and before `end`, that leads elsewhere; `end` if none does.
  uint32_t next_elsewhere(uint32_t begin, uint32_t end) const;

 private:
  friend std::optional<Home> find_home(ColumnTable& table, const TokenSets& tokens, ColumnId from);

  void add_elsewhere(std::span<const uint32_t> nodes);

  ColumnId column_ = kDead;
  bool may_end_ = false;
  size_t n_elsewhere_ = 0;
  std::array<ColumnId, 256> after_{};
  std::vector<uint64_t> elsewhere_;  // bit: trie node
};

// The home that a walk from `from` may come to. None: there is none that is worth it.
std::optional<Home> find_home(ColumnTable& table, const TokenSets& tokens, ColumnId from);

}  // namespace xg2lab
