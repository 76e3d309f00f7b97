// A home, or loop column: a column to which most characters lead back, as in free text or within a
// string (the self-loop of a DFA).
//
// Tests: tests/core/test_free_text.py, tests/unit/mask_home.cc
//
// IDEA
//   If the rule part of a trie walk is in the loop column at a node, the node's whole subtree is
//   accepted, except below nodes that begin a character which leads elsewhere (text_class.h). Only
//   those nodes are walked. Every other character would lead back to the loop column through live
//   columns, so skipping these nodes changes no verdict.
//
//   string ::= "\"" [^"\\]* "\"": after `"` only `"`, `\` and malformed bytes lead elsewhere.
//   digits ::= [0-9]+: 10 characters lead back, all others lead elsewhere. The column is not used
//   as a home, because the plain walk is cheaper.
//
// COST      finding: about 400 steps of the table, most of them known; half of that if the loop
//           column has been found before.
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

// The columns of a table in the form that home_characters.h reads.
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

// The facts about a loop column that do not depend on the column where the walk begins.
struct HomeFacts {
  HomeFacts(ColumnTable& table, ColumnId home)
      : column(home), characters(ColumnReader(table), home), at_home(characters.from(home)) {}

  ColumnId column;
  HomeCharacters<ColumnReader> characters;
  HomeCharacters<ColumnReader>::FromState at_home;
  std::vector<ColumnId> on_the_way;  // the column, and those after first bytes; ascending
  // The text class of the characters that lead home; null if too many characters lead elsewhere.
  std::shared_ptr<const TextClass> text;
  bool has_few_exits = false;
  bool was_met = false;      // a walk that could use this home has found it before
  bool is_given_up = false;  // a walk beside this home entered too many nodes
};

class Home {
 public:
  ColumnId column() const { return facts_->column; }
  // The column after the first byte of a character that leads home; kDead for all others.
  ColumnId after(uint8_t first_byte) const {
    const auto& at_home = facts_->at_home;
    return at_home.leads_home[first_byte] ? at_home.after[first_byte] : kDead;
  }
  // True if the goal may be complete at the loop column, or within a character on the way there.
  bool may_end() const { return may_end_at_home_ || may_end_within_; }
  bool may_end_within() const { return may_end_within_; }
  // True if little of the vocabulary leaves the text. Then the exits are worth finding once.
  bool has_few_exits() const { return facts_->has_few_exits; }
  // True if an earlier walk found this home; marks the home as found.
  bool is_met_again() { return std::exchange(facts_->was_met, true); }
  void give_up() { facts_->is_given_up = !facts_->has_few_exits; }
  bool is_given_up() const { return facts_->is_given_up; }
  // True for the loop column, and for columns within a character that leads there.
  bool is_on_the_way(ColumnId column) const {
    return std::ranges::binary_search(facts_->on_the_way, column);
  }
  // True if the byte begins characters that lead from the walk's first column to the loop column.
  bool begins(uint8_t first_byte) const { return begins_[first_byte]; }
  // The text class of the characters that lead home.
  const TextClass& text() const { return *facts_->text; }
  const FirstBytes& first_bytes() const { return facts_->at_home.leads_home; }

 private:
  friend class Homes;

  std::shared_ptr<HomeFacts> facts_;
  bool may_end_at_home_ = false;
  bool may_end_within_ = false;
  FirstBytes begins_;
};

// Finds the loop columns of one table, and keeps the facts about them.
class Homes {
 public:
  explicit Homes(const MaskCosts& costs) : costs_(costs) {}

  // The loop column that text leads to from `from`. None if too many characters lead elsewhere.
  std::optional<Home> find(ColumnTable& table, const TokenSets& tokens, ColumnId from);

 private:
  std::shared_ptr<HomeFacts> facts(ColumnTable& table, const TokenSets& tokens, ColumnId home);

  const MaskCosts costs_;
  std::deque<std::shared_ptr<HomeFacts>> known_;  // most recently used last
};

// The first bytes all of whose characters lead from the column back to the column.
FirstBytes characters_leading_home(ColumnTable& table, ColumnId home);

}  // namespace xg2lab
