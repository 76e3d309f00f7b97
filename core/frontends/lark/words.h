// The words of a terminal, by what may not come right behind them.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   Behind most words of a terminal the same characters are ruled out. Where there are other words they are few, as a rule,
//   and can be listed: so each list is split off, and all the rest is kept together, with whatever is ruled out behind any of it.
//
// EXAMPLE   NAME: /[a-z]+/ where /left +join/ could be read: {left: [a-z ]}, all others: [a-z]
//
// COST      states of the product in which the terminal lives * letters
#pragma once

#include <vector>

#include "frontends/lark/product.h"

namespace xg2lab::lark {

constexpr size_t kMostSplitWords = 200;
constexpr size_t kMostSplitLength = 40;

using Word = std::vector<Letter>;

struct WordsBefore {
  std::vector<Word> words;  // none: all that are in no other list. These come last
  CodePointSet not_next;
};

struct WordsQuery {
  TerminalId terminal;
  const SymbolSet& longer;            // whose going on rules a character out
  const std::vector<bool>& relevant;  // index: letter. Others can't come next anyway
};

std::vector<WordsBefore> words_before(const Product& product, const WordsQuery& query);

}  // namespace xg2lab::lark
