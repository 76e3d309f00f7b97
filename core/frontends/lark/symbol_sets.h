// Interned sets of small numbers: equal sets have equal ids, so that results computed for one set
// hold for all equal sets.
//
// Tests: tests/core/test_growth_lark.py, tests/core/test_lark.py
//
// IDEA      a set is a row of pairs (index of a word, the word's 32 bits), without empty words. A
//           set of few numbers is as small as a list of them, a set of many at most twice its bits.
// COST      unite: linear in the words of its sets, and sorting those of the union. has: O(log
//           words).
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "support/interned_rows.h"

namespace xg2lab::lark {

// The number of a set; 0 is the empty set.
struct SetId {
  uint32_t value = 0;
  friend auto operator<=>(const SetId&, const SetId&) = default;
};

class SymbolSets {
 public:
  SymbolSets() { rows_.add({}); }

  // The set of these numbers, given in any order.
  SetId of(std::span<const uint32_t> symbols) {
    for (uint32_t symbol : symbols) take(symbol / 32, uint32_t{1} << (symbol % 32));
    return finish();
  }
  SetId unite(std::span<const SetId> sets) {
    if (sets.empty()) return {};
    const bool are_one = std::ranges::all_of(sets, [&](SetId set) { return set == sets[0]; });
    if (are_one) return sets[0];
    for (SetId set : sets) {
      const std::span<const uint32_t> row = rows_[set.value];
      for (size_t i = 0; i < row.size(); i += 2) take(row[i], row[i + 1]);
    }
    return finish();
  }
  SetId unite(SetId a, SetId b) {
    const SetId both[2] = {a, b};
    return unite(both);
  }

  bool has(SetId set, size_t symbol) const {
    const std::span<const uint32_t> row = rows_[set.value];
    const size_t word = symbol / 32;
    size_t lo = 0;
    size_t hi = row.size() / 2;
    while (lo < hi) {
      const size_t middle = (lo + hi) / 2;
      if (row[2 * middle] < word) lo = middle + 1;
      else hi = middle;
    }
    const bool is_there = 2 * lo < row.size() && row[2 * lo] == word;
    return is_there && (row[2 * lo + 1] >> (symbol % 32) & 1) != 0;
  }
  // In ascending order. `visit` must not make sets.
  template <class Visit>
  void for_each(SetId set, Visit visit) const {
    const std::span<const uint32_t> row = rows_[set.value];
    for (size_t i = 0; i < row.size(); i += 2) {
      for (uint32_t bits = row[i + 1]; bits != 0; bits &= bits - 1) {
        visit(size_t{32} * row[i] + static_cast<size_t>(std::countr_zero(bits)));
      }
    }
  }
  // Over all sets; each word takes two numbers.
  size_t n_words() const { return n_words_; }

 private:
  void take(uint32_t at, uint32_t bits) {
    if (at >= words_.size()) words_.resize(std::max<size_t>(2 * words_.size(), at + 1));
    if (words_[at] == 0) touched_.push_back(at);
    words_[at] |= bits;
  }
  SetId finish() {
    std::sort(touched_.begin(), touched_.end());
    row_.clear();
    for (uint32_t at : touched_) {
      row_.push_back(at);
      row_.push_back(words_[at]);
      words_[at] = 0;
    }
    touched_.clear();
    const auto [id, is_new] = rows_.add(row_);
    if (is_new) n_words_ += row_.size();
    return {id};
  }

  InternedRows rows_;
  size_t n_words_ = 0;
  std::vector<uint32_t> words_;  // of the set under construction; all 0 between two sets
  std::vector<uint32_t> touched_;
  std::vector<uint32_t> row_;
};

}  // namespace xg2lab::lark
