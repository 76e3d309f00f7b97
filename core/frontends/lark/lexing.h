// Which words a terminal stands for where others could be read as well, and what may not come right behind it.
//
// Twin:  xg2lab/reference/lark.py
// Tests: tests/core/test_lark.py, tests/differential/test_lark.py
//
// IDEA
//   A lexer decides before the parser does: it takes the longest match, and a keyword rather than a name. A grammar of
//   bytes knows nothing of that; told as it is, `if` `f` would be a reading of "iff". So each place at which a terminal is read
//   gets two things of the terminals that compete with it there: words that are none of its own (a keyword is no
//   name), and characters that may not follow at once (those with which a competitor's match would go on).
//
//   contextual        those compete that may stand where it stands, after some terminal that can stand before it
//   basic             all compete everywhere
//   dynamic           a terminal competes with itself only: its own match is the longest
//   dynamic_complete  nothing competes: any text that can be cut into terminals somehow
//
// EXAMPLE   a: "if" NAME | NAME "=" NAME   NAME: /[a-z]+/    "if" may not be followed by [a-z], as NAME would go on; and at the
//           beginning NAME is not `if`. Behind "=" NAME alone can stand: there it is.
//
// What is ignored competes as well, wherever it may stand. A character that only begins to go on with a competitor, `1` before
// `..` where FLOAT is `1.5`, is kept away too: what is accepted is less then, never more. The same character may be harmless after
// most words and not after some (a space after `left`, where "left join" is a terminal): those few are split off.
//
// COST      the product of the terminals' machines, as far as texts lead into it (product.h); of a
//           place, what competes there.
// SEE ALSO  van den Brand, Scheerder, Vinju, Visser 2002 (follow restrictions, reject productions)
#pragma once

#include <optional>
#include <vector>

#include "frontends/lark/leaves.h"

namespace xg2lab::lark {

enum class LexerKind : uint8_t { kContextual, kBasic, kDynamic, kDynamicComplete };
std::optional<LexerKind> lexer_named(std::string_view name);

// A terminal among competitors, or those of its words that have the same `not_next`.
struct Contender {
  TerminalId terminal = 0;
  regex::NodeId words;  // of the terminal
  regex::NodeId tree;   // those of them that are its own here, without the empty text
  std::optional<CodePointDfa> machine;  // of `tree`, where the product says it without a new one
  CodePointSet first;                   // with what its words begin
  CodePointSet not_next;                // what may not follow at once
  bool is_closed = false;               // ignored, and several in a row are one
};
using ContenderIndex = uint32_t;

// What may be ignored somewhere: contenders, any number of them.
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
      contenders_at;  // index: NodeId, of leaves that are terminals; all of their words together
  std::vector<SkipIndex> skip_at;  // index: NodeId, of leaves
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

// Nothing: there are mistakes, reported. Warnings go to `diagnostics`.
std::optional<Lexing> find_lexing(const LexingContext& context,
                                  std::vector<Diagnostic>& diagnostics);

}  // namespace xg2lab::lark
