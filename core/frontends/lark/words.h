// The words of a terminal, by what may not come right behind them.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   Behind most words of a terminal the same characters are ruled out. Where there are other words they are few, as a rule,
//   and can be listed; or they are a language of their own, with a small machine: the newlines that end in a comment, and
//   those that don't. What is neither is kept together, with whatever is ruled out behind any of it.
//
// EXAMPLE   NAME: /[a-z]+/ where /left +join/ could be read: {left: [a-z ]}, all others: [a-z]
//
// COST      states of the product in which the terminal lives, and the rows of those
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "frontends/lark/product.h"

namespace xg2lab::lark {

constexpr size_t kMostSplitWords = 200;
constexpr size_t kMostSplitLength = 40;
constexpr size_t kMostSplitStates = 40;         // of a part's machine
constexpr size_t kMostSplitCharacters = 1500;   // of its tree
constexpr size_t kMostSplitParts = 6;           // that have one
constexpr size_t kMostWordsCells = 20'000'000;  // of a machine of words

using Word = std::vector<Letter>;

struct WordsBefore {
  std::vector<Word> words;            // a list of them
  std::optional<regex::NodeId> tree;  // or a language
  std::vector<uint32_t> ends;         // the product's states in which they end; of no rest
  CodePointSet not_next;

  // All that are in no other part; it comes last.
  bool is_rest() const { return words.empty() && !tree; }
};

struct WordsQuery {
  TerminalId terminal;
  std::function<bool(TerminalId)> is_longer;  // whether its going on rules a character out
  const std::vector<bool>& relevant;          // index: letter. Others can't come next anyway
};

// Trees are put into `ast`.
std::vector<WordsBefore> words_before(const Product& product, const SymbolSets& sets,
                                      const WordsQuery& query, regex::Ast& ast);

// The words of a terminal that end in such states of the product. Nothing: their machine is too
// large.
std::optional<CodePointDfa> words_that_end(const Product& product, TerminalId terminal,
                                           const std::function<bool(uint32_t state)>& is_end);

}  // namespace xg2lab::lark
