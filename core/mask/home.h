// A home: a column that most characters lead back to, as free text and the inside of a string have.
//
// Tests: tests/core/test_free_text.py
//
// IDEA
//   Where a trie walk's inside stands at home, whole subtrees are accepted but for the nodes that begin a
//   character which leads elsewhere (text_class.h): those are walked, and nothing else. What the walk leaves out would
//   have come home after every character, alive all the way, so it is accepted by every walk.
//
//   string ::= "\"" [^"\\]* "\"": after `"` only `"`, `\` and malformed bytes lead elsewhere.
//   digits ::= [0-9]+: 10 characters lead home, all others elsewhere. No home: the plain walk is cheaper.
//
// COST      finding: about 400 steps of the table, most of them known.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "mask/token_sets.h"
#include "parse/column_table.h"

namespace xg2lab {

class Home {
 public:
  ColumnId column() const { return column_; }
  // The column after the first byte of a character that leads home; kDead for all others.
  ColumnId after(uint8_t first_byte) const { return after_[first_byte]; }
  // Whether the goal may be complete at home, or within a character on the way there.
  bool may_end() const { return may_end_at_home_ || may_end_within_; }
  bool may_end_within() const { return may_end_within_; }
  // Whether the byte begins characters that lead home from where the walk begins.
  bool begins(uint8_t first_byte) const { return begins_[first_byte]; }
  // Of the characters that lead home.
  const TextClass& text() const { return *text_; }
  const FirstBytes& first_bytes() const { return first_bytes_; }

 private:
  friend std::optional<Home> find_home(ColumnTable& table, const TokenSets& tokens, ColumnId from);

  ColumnId column_ = kDead;
  bool may_end_at_home_ = false;
  bool may_end_within_ = false;
  std::array<ColumnId, 256> after_{};
  FirstBytes begins_;
  FirstBytes first_bytes_;
  std::shared_ptr<const TextClass> text_;
};

// The home that a walk from `from` may come to. None: there is none that is worth it.
std::optional<Home> find_home(ColumnTable& table, const TokenSets& tokens, ColumnId from);

// The first bytes of the characters that all lead from a column back to it.
FirstBytes characters_leading_home(ColumnTable& table, ColumnId home);

}  // namespace xg2lab
