// A chain: columns through which text leads one after the other, as in a string of bounded length.
//
// Tests: tests/core/test_free_text.py, tests/unit/mask_home.cc
//
// IDEA
//   Free text has a home, a column that every character leads back to (home.h). In a string of at
//   most 20 characters each of them leads to another column; but all of them to the same one. So
//   what matters of a token of text is how many characters it has, and where it leaves the text
//   after how many. No node of text is walked: tokens that stay text are accepted if the chain is
//   as long as they are, and the exits (text_class.h) are walked from the links of the chain, those
//   with as many characters before them once for all that have equal subtrees.
//
//   [a-z]{0,20}: 26 characters lead on, all others elsewhere. No chain: the plain walk is cheaper.
//
// HOW IT IS KNOWN
//   Of a state it is asked to which state the characters with one first byte lead, all of them. In
//   between the machine must neither call nor end. Two characters for which every item of a column
//   has the same answer lead to one column.
//
// COST      a step of the table a link, and for each of its states its edges once.
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
  // The column after so many characters; kDead beyond the chain's end.
  ColumnId after(size_t n_characters) const {
    return n_characters < links_.size() ? links_[n_characters] : kDead;
  }
  // How many characters it takes; that of the longest token if it may take more.
  size_t length() const { return links_.size() - 1; }
  // Whether the goal may have been complete after so many characters, or fewer.
  bool has_ended(size_t n_characters) const { return n_characters >= first_end_; }
  // Of the characters that lead on.
  const TextClass& text() const { return *text_; }
  const FirstBytes& first_bytes() const { return first_bytes_; }

 private:
  friend std::optional<TextChain> find_text_chain(ColumnTable& table, const TokenSets& tokens,
                                                  ColumnId from, const MaskCosts& costs);

  std::vector<ColumnId> links_;  // the first is where the walk begins
  size_t first_end_ = SIZE_MAX;
  FirstBytes first_bytes_;
  std::shared_ptr<const TextClass> text_;
};

// None: there is none that is worth it.
std::optional<TextChain> find_text_chain(ColumnTable& table, const TokenSets& tokens, ColumnId from,
                                         const MaskCosts& costs);

}  // namespace xg2lab
