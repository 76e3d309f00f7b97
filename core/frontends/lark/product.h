// All terminals read at once: which of them have matched, and which could go on.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   The product of the terminals' machines, without those that are dead. What a lexer has to know about pairs of terminals is
//   read off its states: that both match the same word, that one matches where the other could go on.
//
// EXAMPLE   "if", NAME: /[a-z]+/   after "if" both match; after "i" NAME matches, and "if" could go on.
//
// COST      reached states * letters * living terminals
#pragma once

#include <optional>
#include <vector>

#include "frontends/lark/leaves.h"

namespace xg2lab::lark {

struct Product {
  Alphabet alphabet;
  std::vector<CodePointSet> letters;               // index: letter
  std::vector<SymbolSet> first;                    // index: letter. The terminals that may begin with it
  std::vector<std::vector<SymbolSet>> next;        // index: terminal, letter. Which may go on with it after one of its words
  std::vector<SymbolSet> equal;                    // index: terminal. Which match one of its words
  std::vector<SymbolSet> prefix;                   // index: terminal. Which match where it has begun, at its end or before
};

// Of these terminals. Nothing: it is too large.
std::optional<Product> find_product(const Terminals& terminals, const SymbolSet& used, size_t n_symbols);

}  // namespace xg2lab::lark
