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
  static constexpr uint32_t kDead = UINT32_MAX;

  Alphabet alphabet;
  std::vector<CodePointSet> letters;  // index: letter
  std::vector<SymbolSet> living;      // index: state. Which terminals could still match
  std::vector<SymbolSet> matching;    // index: state. Which have matched just now
  std::vector<uint32_t>
      next;  // row: state, column: letter. State 0 is the start, to which nothing leads back
  std::vector<SymbolSet> first;  // index: letter. The terminals that may begin with it
  std::vector<SymbolSet> equal;  // index: terminal. Which match one of its words
  std::vector<SymbolSet>
      prefix;  // index: terminal. Which match where it has begun, at its end or before

  size_t n_states() const { return living.size(); }
  uint32_t step(uint32_t state, Letter letter) const {
    return next[state * letters.size() + letter];
  }
};

// Of these terminals. Nothing: it is too large.
std::optional<Product> find_product(const Terminals& terminals, const SymbolSet& used,
                                    size_t n_symbols);

}  // namespace xg2lab::lark
