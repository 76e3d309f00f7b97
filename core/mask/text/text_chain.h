// A chain: columns through which text leads one after the other, as in a string of bounded length.
//
// Tests: tests/core/test_free_text.py, tests/unit/mask_home.cc
//
// IDEA
//   Free text has a loop column, to which every character leads back (home.h). In a string of at
//   most 20 characters each character leads to a new column, but all characters lead to the same
//   one. So only two facts about a token matter: how many characters of text it has, and at which
//   byte it leaves the text. No node of text is walked. A token that stays text is accepted if the
//   chain is at least as long as the token. Exits, the nodes at which tokens leave the text
//   (text_class.h), are walked from the columns of the chain. Exits with the same number of
//   characters before them and equal subtrees are walked once.
//
//   [a-z]{0,20}: 26 characters lead to the next column, all others lead elsewhere. The columns are
//   not used as a chain, because the plain walk is cheaper.
//
// CONDITIONS
//   For each state of a column, all characters with the same first byte lead to one state. Within a
//   character the machine neither calls a rule nor accepts. If two characters lead every item of a
//   column to equal states, both lead the column to the same next column.
//
// COST      a step of the table for each column of the chain, and for each of its states its edges
//           once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mask/plan/mask_costs.h"
#include "parse/column_table.h"
#include "vocab/token_sets.h"

namespace xg2lab {

class TextChain {
 public:
  // The column after `n_characters` characters; kDead past the end of the chain.
  ColumnId after(size_t n_characters) const {
    return n_characters < links_.size() ? links_[n_characters] : kDead;
  }
  // The number of characters that the chain covers, at most that of the longest text token.
  size_t length() const { return links_.size() - 1; }
  // True if the goal may have been complete after `n_characters` characters or fewer.
  bool has_ended(size_t n_characters) const { return n_characters >= first_end_; }
  // The text class of the characters that lead from each column to the next.
  const TextClass& text() const { return *text_; }
  const FirstBytes& first_bytes() const { return first_bytes_; }

 private:
  friend std::optional<TextChain> find_text_chain(ColumnTable& table, const TokenSets& tokens,
                                                  ColumnId from, const MaskCosts& costs);

  std::vector<ColumnId> links_;  // the first is the column where the walk begins
  size_t first_end_ = SIZE_MAX;
  FirstBytes first_bytes_;
  std::shared_ptr<const TextClass> text_;
};

// None if no chain begins at `from`, or too many characters leave it.
std::optional<TextChain> find_text_chain(ColumnTable& table, const TokenSets& tokens, ColumnId from,
                                         const MaskCosts& costs);

}  // namespace xg2lab
