// Regular languages over code points, and their algebra: complete deterministic machines on letters
// (alphabet.h).
//
// Twin:  xg2lab/reference/regex.py (what a pattern matches)
// Tests: tests/core/test_regular.py
//
// IDEA
//   A language is a complete transition table: for each state and letter the next state. Complement
//   therefore flips the accepting states; intersection, union and difference walk through pairs of
//   states; concatenation and repetition are subset constructions. Every constraint that JSON
//   Schema puts on a string (pattern, length, format, not, enum) is such a language or a
//   combination of several.
//
// EXAMPLE   subtract(everything(), text("a")) has three states: before, after "a", and after
//           anything else.
//
// INVARIANTS
//   I1  the start is state 0; next has n_states * n_letters entries, all of them states
//   I2  the functions below return minimal machines: equal languages have equally many states
//
// COST      pairs: O(|a| |b| letters). Subsets: exponential in the worst case, as is unavoidable.
//           Every construction stops at DfaLimits and then returns nothing.
// NOT HERE  bytes (code_points_to_bytes.h), patterns (languages/regex/).
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
  // A shortest text of the language; among several, the first in the order of the letters' smallest
  // printable characters.
  std::optional<std::vector<uint32_t>> shortest() const;
};

// ---- The simplest languages ----
CodePointDfa nothing();
CodePointDfa everything();
CodePointDfa one_of(CodePointSet set);                   // texts of one code point
CodePointDfa only_text(std::span<const uint32_t> text);  // a single text
// The language of these texts. O(letters * code points): built as a trie, without products.
CodePointDfa one_of_texts(std::span<const std::vector<uint32_t>> texts);
// Texts of min to max code points; kNoLongest: no upper limit.
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

// The minimal machine of the same language, with the coarsest alphabet; states are numbered
// breadth-first.
CodePointDfa minimize(const CodePointDfa& dfa);

}  // namespace xg2lab
