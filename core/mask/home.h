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
// COST      finding: about 400 steps of the table, most of them known; half of that where the home has been met before.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "automata/utf8_places.h"
#include "parse/column_table.h"
#include "vocab/token_sets.h"

namespace xg2lab {

// Which characters lead to a home. Bytes of one class lead to one column, so continuation bytes are tried by class.
class HomeCharacters {
 public:
  explicit HomeCharacters(ColumnId home) : home_(home) {}

  struct FromColumn {
    // By first byte: the column after it if all its characters lead home, else kDead.
    std::array<ColumnId, 256> after;
    bool may_end_within = false;  // whether the goal may be complete within a character
  };
  FromColumn from(ColumnTable& table, ColumnId column);
  bool comes_home(ColumnTable& table, ColumnId column, Utf8Place place);

 private:
  struct Known {
    bool comes_home;
    bool may_end;
  };
  Known find(ColumnTable& table, ColumnId column, Utf8Place place);

  ColumnId home_;
  std::map<std::pair<uint32_t, Utf8Place>, Known> known_;
};

// What is known of a home, wherever a walk begins.
struct HomeFacts {
  explicit HomeFacts(ColumnId home) : column(home), characters(home) {}

  ColumnId column;
  HomeCharacters characters;
  HomeCharacters::FromColumn at_home;
  FirstBytes first_bytes;            // of the characters that lead home
  std::vector<ColumnId> on_the_way;  // here, and after first bytes; ascending
  std::shared_ptr<const TextClass>
      text;  // of these characters; null: it is no home that is worth it
  bool has_few_exits = false;
  bool was_met = false;  // by a walk that might have used it
  bool is_left = false;  // walks beside it are given up
};

class Home {
 public:
  ColumnId column() const { return facts_->column; }
  // The column after the first byte of a character that leads home; kDead for all others.
  ColumnId after(uint8_t first_byte) const { return facts_->at_home.after[first_byte]; }
  // Whether the goal may be complete at home, or within a character on the way there.
  bool may_end() const { return may_end_at_home_ || may_end_within_; }
  bool may_end_within() const { return may_end_within_; }
  // Whether little of the vocabulary leaves the text, so that it is worth to know how.
  bool has_few_exits() const { return facts_->has_few_exits; }
  // Whether another walk has come here before.
  bool is_met_again() { return std::exchange(facts_->was_met, true); }
  void leave() { facts_->is_left = !facts_->has_few_exits; }
  bool is_left() const { return facts_->is_left; }
  // Whether it is the home, or a column within a character that leads there.
  bool is_on_the_way(ColumnId column) const {
    return std::ranges::binary_search(facts_->on_the_way, column);
  }
  // Whether the byte begins characters that lead home from where the walk begins.
  bool begins(uint8_t first_byte) const { return begins_[first_byte]; }
  // Of the characters that lead home.
  const TextClass& text() const { return *facts_->text; }
  const FirstBytes& first_bytes() const { return facts_->first_bytes; }

 private:
  friend class Homes;

  std::shared_ptr<HomeFacts> facts_;
  bool may_end_at_home_ = false;
  bool may_end_within_ = false;
  FirstBytes begins_;
};

// The homes of one table.
class Homes {
 public:
  // The home that a walk from `from` may come to. None: there is none that is worth it.
  std::optional<Home> find(ColumnTable& table, const TokenSets& tokens, ColumnId from);

 private:
  std::shared_ptr<HomeFacts> facts(ColumnTable& table, const TokenSets& tokens, ColumnId home);

  std::deque<std::shared_ptr<HomeFacts>> known_;  // the newest last
};

// The first bytes of the characters that all lead from a column back to it.
FirstBytes characters_leading_home(ColumnTable& table, ColumnId home);

}  // namespace xg2lab
