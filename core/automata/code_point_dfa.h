// Regular languages over code points, and their algebra: complete deterministic machines on letters (alphabet.h).
//
// Twin:  xg2lab/reference/regex.py (what a pattern matches)
// Tests: tests/core/test_regular.py
//
// IDEA
//   A language is a table: for each state and letter the next state, with no gaps. So "not" is flipping accepting states,
//   "and", "or", "but not" are a walk through pairs of states, and what goes one after the other is subset construction.
//   Everything that JSON Schema says of a string (pattern, length, format, not, enum) is one such language or made of several.
//
// EXAMPLE   subtract(everything(), text("a")) has three states: before, after "a", and after anything else.
//
// INVARIANTS
//   I1  start is state 0; next has n_states * n_letters entries, all of them states
//   I2  what the functions below return is minimal: equal languages have equal sizes
//
// COST      pairs: O(|a| |b| letters). Subsets: exponential in the worst case, as it must be; every construction stops at
//           DfaLimits and returns nothing.
// NOT HERE  bytes (code_points_to_bytes.h), patterns (frontends/regex/).
// SEE ALSO  Hopcroft, Motwani, Ullman, chapter 4; D'Antoni and Veanes 2014 (symbolic automata).
#pragma once

#include <optional>
#include <string_view>

#include "automata/alphabet.h"

namespace xg2lab {

struct DfaLimits {
  size_t n_states = 200'000;
  size_t n_cells = 20'000'000;  // states times letters
};

struct CodePointDfa {
  Alphabet alphabet;
  std::vector<uint32_t> next;  // row: state, column: letter
  std::vector<bool> is_accepting{false};

  size_t n_states() const { return is_accepting.size(); }
  uint32_t step(uint32_t state, Letter letter) const {
    return next[state * alphabet.n_letters() + letter];
  }
  bool accepts(std::span<const uint32_t> text) const;
  bool is_empty() const;
  bool is_universal() const;
  // A shortest text of the language, of several the first in the order of letters' smallest characters that can be seen.
  std::optional<std::vector<uint32_t>> shortest() const;
};

// ---- The simplest languages ----
CodePointDfa nothing();
CodePointDfa everything();
CodePointDfa one_of(CodePointSet set);                   // one code point
CodePointDfa only_text(std::span<const uint32_t> text);  // a single text
// One of these texts. O(letters * code points): a trie, and no product.
CodePointDfa one_of_texts(std::span<const std::vector<uint32_t>> texts);
// Texts of min to max code points (no limit: kNoLongest).
constexpr uint32_t kNoLongest = UINT32_MAX;
std::optional<CodePointDfa> of_length(uint32_t min, uint32_t max, const DfaLimits& limits = {});

// ---- The algebra ----
using MaybeDfa = std::optional<CodePointDfa>;  // nothing: a limit was reached
CodePointDfa complement(CodePointDfa a);
MaybeDfa intersect(const CodePointDfa& a, const CodePointDfa& b, const DfaLimits& limits = {});
MaybeDfa unite(const CodePointDfa& a, const CodePointDfa& b, const DfaLimits& limits = {});
MaybeDfa subtract(const CodePointDfa& a, const CodePointDfa& b, const DfaLimits& limits = {});
MaybeDfa concatenate(const CodePointDfa& a, const CodePointDfa& b, const DfaLimits& limits = {});
MaybeDfa repeat(const CodePointDfa& a, uint32_t min, uint32_t max, const DfaLimits& limits = {});
bool equivalent(const CodePointDfa& a, const CodePointDfa& b);

// The smallest machine of the same language, with as few letters as it needs; states in the order of breadth-first search.
CodePointDfa minimize(const CodePointDfa& dfa);

}  // namespace xg2lab
