// A home: a column that most characters lead back to, as free text and the inside of a string have.
//
// Tests: tests/core/test_free_text.py, tests/unit/mask_home.cc
//
// IDEA
//   Where a trie walk's inside stands at home, whole subtrees are accepted but for the nodes that
//   begin a character which leads elsewhere (text_class.h): those are walked, and nothing else.
//   What the walk leaves out would have come home after every character, alive all the way, so it
//   is accepted by every walk.
//
//   string ::= "\"" [^"\\]* "\"": after `"` only `"`, `\` and malformed bytes lead elsewhere.
//   digits ::= [0-9]+: 10 characters lead home, all others elsewhere. No home: the plain walk is
//   cheaper.
//
// COST      finding: about 400 steps of the table, most of them known; half of that where the home
//           has been met before.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "mask/plan/mask_costs.h"
#include "mask/text/home_characters.h"
#include "parse/column_table.h"
#include "vocab/token_sets.h"

namespace xg2lab {

// Columns as home_characters.h reads them.
class ColumnReader {
 public:
  using State = ColumnId;

  explicit ColumnReader(ColumnTable& table) : table_(&table) {}

  const Program& program() const { return table_->program(); }
  ColumnId step(ColumnId column, uint8_t byte) const {
    return column == kDead ? kDead : table_->step(column, byte);
  }
  bool may_pass(ColumnId column) const { return column != kDead; }
  bool may_end(ColumnId column) const { return table_->at(column).is_complete; }

 private:
  ColumnTable* table_;
};

// What is known of a home, wherever a walk begins.
struct HomeFacts {
  HomeFacts(ColumnTable& table, ColumnId home)
      : column(home), characters(ColumnReader(table), home), at_home(characters.from(home)) {}

  ColumnId column;
  HomeCharacters<ColumnReader> characters;
  HomeCharacters<ColumnReader>::FromState at_home;
  std::vector<ColumnId> on_the_way;  // here, and after first bytes; ascending
  // Of the characters that lead home; null: they are too few.
  std::shared_ptr<const TextClass> text;
  bool has_few_exits = false;
  bool was_met = false;      // by a walk that might have used it
  bool is_given_up = false;  // a walk beside it entered too many nodes
};

class Home {
 public:
  ColumnId column() const { return facts_->column; }
  // The column after the first byte of a character that leads home; kDead for all others.
  ColumnId after(uint8_t first_byte) const {
    const auto& at_home = facts_->at_home;
    return at_home.leads_home[first_byte] ? at_home.after[first_byte] : kDead;
  }
  // Whether the goal may be complete at home, or within a character on the way there.
  bool may_end() const { return may_end_at_home_ || may_end_within_; }
  bool may_end_within() const { return may_end_within_; }
  // Whether little of the vocabulary leaves the text, so that it is worth to know how.
  bool has_few_exits() const { return facts_->has_few_exits; }
  // Whether another walk has come here before.
  bool is_met_again() { return std::exchange(facts_->was_met, true); }
  void give_up() { facts_->is_given_up = !facts_->has_few_exits; }
  bool is_given_up() const { return facts_->is_given_up; }
  // Whether it is the home, or a column within a character that leads there.
  bool is_on_the_way(ColumnId column) const {
    return std::ranges::binary_search(facts_->on_the_way, column);
  }
  // Whether the byte begins characters that lead home from where the walk begins.
  bool begins(uint8_t first_byte) const { return begins_[first_byte]; }
  // Of the characters that lead home.
  const TextClass& text() const { return *facts_->text; }
  const FirstBytes& first_bytes() const { return facts_->at_home.leads_home; }

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
  explicit Homes(const MaskCosts& costs) : costs_(costs) {}

  // The home that a walk from `from` may come to. None: there is none that is worth it.
  std::optional<Home> find(ColumnTable& table, const TokenSets& tokens, ColumnId from);

 private:
  std::shared_ptr<HomeFacts> facts(ColumnTable& table, const TokenSets& tokens, ColumnId home);

  const MaskCosts costs_;
  std::deque<std::shared_ptr<HomeFacts>> known_;  // the newest last
};

// The first bytes of the characters that all lead from a column back to it.
FirstBytes characters_leading_home(ColumnTable& table, ColumnId home);

}  // namespace xg2lab
