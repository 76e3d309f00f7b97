// For each use of a terminal: the words that the lexer would read as this terminal, and the
// characters that may not follow.
//
// Twin:  xg2lab/reference/lark.py
// Tests: tests/core/test_lark.py, tests/differential/test_lark.py
//
// IDEA
//   A lexer decides before the parser does: it takes the longest match, and prefers a keyword to a
//   name. A grammar over bytes has no lexer; translated literally, it would accept "iff" as `if`
//   `f`. So each use of a terminal is restricted by the terminals that compete with it there. It
//   loses words that a competitor takes (a keyword is not a name), and it may not be followed by
//   characters with which a competitor's match would continue.
//
//     contextual        competitors are the terminals that may follow some terminal which may
//                       precede this use
//     basic             all terminals compete everywhere
//     dynamic           a terminal competes only with itself: its own match must be the longest
//     dynamic_complete  nothing competes: the text may be cut into terminals in any way
//
// EXAMPLE   a: "if" NAME | NAME "=" NAME   NAME: /[a-z]+/    "if" may not be followed by [a-z],
//           since NAME would continue. At the start, NAME can't be `if`. Behind "=", only NAME is
//           possible, so NAME may be `if` there.
//
// Ignored terminals compete too, wherever they may occur. A character that merely might continue a
// competitor's match is excluded as well, such as a `.` behind `1` before `..` if FLOAT is `1.5`:
// the grammar then accepts fewer texts, never more. If a character is excluded behind few words of
// a terminal only (a space behind `left`, if "left join" is a terminal), these words are split off.
//
// COST      the product of the terminals' machines, as far as texts reach it (product.h); for each
//           use, its competitors.
// SEE ALSO  van den Brand, Scheerder, Vinju, Visser 2002 (follow restrictions, reject productions)
#pragma once

#include <optional>
#include <vector>

#include "frontends/lark/leaves.h"

namespace xg2lab::lark {

enum class LexerKind : uint8_t { kContextual, kBasic, kDynamic, kDynamicComplete };
std::optional<LexerKind> lexer_named(std::string_view name);

// A terminal among its competitors, or the part of its words that have the same `not_next`.
struct Contender {
  TerminalId terminal = 0;
  regex::NodeId words;                  // all words of the terminal
  regex::NodeId tree;                   // the words left to it here, without the empty text
  std::optional<CodePointDfa> machine;  // of `tree`, if the product yields it directly
  CodePointSet first;                   // first characters of its words
  CodePointSet not_next;                // characters that may not follow
  bool is_closed = false;               // ignored, and several in a row form one word
};
using ContenderIndex = uint32_t;

// The ignored terminals at some position: any number of these contenders.
struct Skip {
  std::vector<ContenderIndex> contenders;
  CodePointSet first;
  friend bool operator==(const Skip& a, const Skip& b) { return a.contenders == b.contenders; }
};
using SkipIndex = uint32_t;

struct Lexing {
  std::vector<Contender> contenders;
  std::vector<Skip> skips;
  std::vector<std::vector<ContenderIndex>>
      contenders_at;  // index: NodeId, for leaves that are terminals; together they have all words
  std::vector<SkipIndex> skip_at;  // index: NodeId, for leaves
  SkipIndex skip_at_end = 0;
  size_t n_cells = 0;  // of the lexer's machine, for tests
};

struct LexingContext {
  const Reading& reading;
  Terminals& terminals;
  Neighbours& neighbours;
  const std::vector<TerminalId>& ignored;
  size_t n_nodes;  // of the tree
  LexerKind kind;
};

// Nothing if there are mistakes, which are reported. Warnings go to `diagnostics`.
std::optional<Lexing> find_lexing(const LexingContext& context,
                                  std::vector<Diagnostic>& diagnostics);

}  // namespace xg2lab::lark
