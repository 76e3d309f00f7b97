// The list of lexemes that a parser reads, from any lexer that returns them one by one.
//
// Tests: tests/core/test_ebnf.py, tests/core/test_lark.py
//
// INVARIANTS
//   I1  the list ends in `n_lookahead` lexemes of kind kEnd, so that a parser may look that far
//       ahead
#pragma once

#include <string_view>
#include <vector>

namespace xg2lab {

// `Lexer(text, more...).next()` returns the lexemes in order, and kEnd forever after the last.
template <class Lexer, class... More>
auto all_lexemes(std::string_view text, size_t n_lookahead, const More&... more) {
  Lexer lexer(text, more...);
  std::vector lexemes{lexer.next()};
  using Kind = decltype(lexemes.back().kind);
  while (lexemes.back().kind != Kind::kEnd) lexemes.push_back(lexer.next());
  const auto end = lexemes.back();
  lexemes.insert(lexemes.end(), n_lookahead - 1, end);
  return lexemes;
}

}  // namespace xg2lab
