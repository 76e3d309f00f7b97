// Partitions the words of a terminal by the characters that may not follow them.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   Behind most words of a terminal, the same characters are excluded. The other words are usually
//   few and can be listed, or they form a language with a small machine: the newlines that end in a
//   comment, and those that don't. Words that fit neither case stay in one part, behind which every
//   character excluded for any of them is excluded.
//
// EXAMPLE   NAME: /[a-z]+/ where /left +join/ is possible: {left: [a-z ]}, all other words: [a-z]
//
// COST      the product's states that list the terminal, and their rows
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "frontends/lark/product.h"

namespace xg2lab::lark {

constexpr size_t kMostSplitWords = 200;
constexpr size_t kMostSplitLength = 40;
constexpr size_t kMostSplitStates = 40;         // of the machine of a part
constexpr size_t kMostSplitCharacters = 1500;   // of a part's tree
constexpr size_t kMostSplitParts = 6;           // parts with a tree
constexpr size_t kMostWordsCells = 20'000'000;  // of a machine of words

using Word = std::vector<Letter>;

struct WordsBefore {
  std::vector<Word> words;            // a list of words
  std::optional<regex::NodeId> tree;  // or a language
  std::vector<uint32_t> ends;  // states of the product in which the words end; empty for the rest
  CodePointSet not_next;

  // Whether this part has all words that no other part has; it comes last.
  bool is_rest() const { return words.empty() && !tree; }
};

struct WordsQuery {
  TerminalId terminal;
  // whether a longer match of the terminal excludes a character
  std::function<bool(TerminalId)> is_longer;
  const std::vector<bool>& relevant;  // index: letter. No other letter can come next
};

// Adds the trees to `ast`.
std::vector<WordsBefore> words_before(const Product& product, const SymbolSets& sets,
                                      const WordsQuery& query, regex::Ast& ast);

// The language of the terminal's words that end in one of these states of the product. Nothing if
// its machine is too large.
std::optional<CodePointDfa> words_that_end(const Product& product, TerminalId terminal,
                                           const std::function<bool(uint32_t state)>& is_end);

}  // namespace xg2lab::lark
