// Inlines small rules and rules used once into the rules that refer to them.
//
// Tests: tests/core/test_passes.py
//
// IDEA
//   Each use of a rule costs a parser two steps (predict, complete) and hides what may follow from
//   the calling rule. Fragments such as `digit ::= [0-9]` are better inlined. A recursive rule
//   can't be inlined, and a large rule that is used twice should not be.
//
// EXAMPLE   root ::= digit+ "." digit+   digit ::= [0-9]      becomes  root ::= [0-9]+ "." [0-9]+
//
//   The nodes of an inlined body keep their spans: rule_at(source grammar, span.begin) names the
//   rule that they come from. Nodes are shared, not copied; the budgets count a shared node once
//   for each use, since lowering visits it as often.
//
//   A rule that is a member of AnyOrder(...) stays a rule; only tiny rules, and rules that it alone
//   uses, are inlined into it. A string type that a hundred keys have as their value is then one
//   rule with one set of mask entries, instead of a hundred copies in one large machine.
//
// NOT HERE  rules with a lookahead or options stay rules, since these belong to the rule; so do the
//           root, the rules of dispatches, and the rules that their tags open.
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

struct InlineBudgets {
  size_t n_nodes = 40;              // largest body that is inlined everywhere
  size_t n_nodes_used_once = 1000;  // largest body that is inlined into its only use
  size_t n_nodes_in_members = 8;    // largest body that is inlined into a member in any order
  size_t growth = 100000;           // nodes added in total
  size_t depth = 1000;              // largest nesting depth of a rule after inlining
};

Grammar inline_fragments(Grammar grammar, const InlineBudgets& budgets = {});

}  // namespace xg2lab::passes
