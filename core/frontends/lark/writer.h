// Rules, and what the lexer makes of their terminals -> Grammar.
//
// Tests: tests/core/test_lark.py, tests/differential/test_lark.py
//
// IDEA
//   What may not come right behind a terminal is said by whatever comes next: an "if" that is not followed by [a-z] is an
//   "if", and then a rule without those words that begin with [a-z], unless something ignored stands between. So a rule is
//   written once for each set of characters that it may not begin with (its *bar*), and where it matters how it ends, once for
//   each set of bars that it may leave behind. Where no two terminals can run into each other there is one bar, nothing, and one
//   copy of each rule: JSON comes out as it went in.
//
// EXAMPLE   a: "if" b   b: NAME | "(" b ")"   %ignore " "
//           a ::= "if" (b-2 | " " b)    b-2 ::= "(" ...    b ::= NAME | "(" ...
//
// A terminal is preceded by what is ignored; the text may end with that too.
//
// COST      copies of rules: at most kMostCopies.
#pragma once

#include <functional>
#include <optional>

#include "frontends/lark/lark.h"
#include "frontends/lark/lexing.h"
#include "grammar/grammar.h"

namespace xg2lab::lark {

constexpr size_t kMostCopies = 20'000;  // more than there are rules and terminals
constexpr size_t kMostExprs = 1'500'000;

// An opaque leaf as an expression; of it, what it may begin with.
struct Opaque {
  ExprId expr;
  CodePointSet first;
  bool may_be_empty = false;
};

struct WriterContext {
  const Reading& reading;
  const Tree& tree;
  const Resolved& resolved;
  Terminals& terminals;
  Neighbours& neighbours;
  const Lexing& lexing;
  const std::vector<Opaque>& opaque;  // index: Leaf::index
  NodeId root;
  bool is_nested;  // rules of another grammar may stand around these, and be captured
};

// Adds all rules to the builder; returns the root. Mistakes are reported.
std::optional<RuleId> write_rules(GrammarBuilder& builder, const WriterContext& context,
                                  LarkWork* work);

}  // namespace xg2lab::lark
