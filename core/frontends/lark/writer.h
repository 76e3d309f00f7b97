// Writes the rules, with their terminals restricted by the lexer, as a Grammar.
//
// Tests: tests/core/test_lark.py, tests/differential/test_lark.py
//
// IDEA
//   Characters that may not follow a terminal restrict the node that comes next. After an "if" that
//   may not be followed by [a-z], the rule that follows must not begin with [a-z], unless ignored
//   text comes between. So a rule is written once for each set of characters that it may not begin
//   with (its *bar*) and, if it matters how it ends, once for each set of bars that it may leave
//   behind. If no two terminals can run into each other, the only bar is the empty one and each
//   rule is written once: JSON's rules are written unchanged.
//
// EXAMPLE   a: "if" b   b: NAME | "(" b ")"   %ignore " "
//           a ::= "if" (b-2 | " " b)    b-2 ::= "(" ...    b ::= NAME | "(" ...
//
// Each terminal may be preceded by ignored text; the text may also end with ignored text.
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

// An opaque leaf as an expression, and the characters that it may begin with.
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
  bool is_nested;  // rules of a surrounding grammar may capture matches of these rules
};

// Adds all rules to the builder; returns the root. Mistakes are reported.
std::optional<RuleId> write_rules(GrammarBuilder& builder, const WriterContext& context,
                                  LarkWork* work);

}  // namespace xg2lab::lark
