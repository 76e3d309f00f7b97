// Small rules, and rules used once, become part of the rules that refer to them.
//
// Tests: tests/core/test_passes.py
//
// IDEA
//   A rule of its own costs a parser two steps for each use (enter, return) and hides from the rule
//   above what may follow. Fragments such as `digit ::= [0-9]` are better written out. A rule that
//   is recursive can't be, and a large one that is used twice should not be.
//
// EXAMPLE   root ::= digit+ "." digit+   digit ::= [0-9]      becomes  root ::= [0-9]+ "." [0-9]+
//
//   The nodes of an inlined body keep their spans: rule_at(source grammar, span.begin) names the
//   rule they come from. They are shared, not copied; budgets count them once for each use, as the
//   code that reads the grammar will.
//
//   A member of AnyOrder(...) is a rule that stays one: it takes in what it alone uses, and what is tiny. The string that is the
//   value of a hundred keys is then one rule with one set of mask entries, and not a hundred copies in one large machine.
//
// NOT HERE  rules with a lookahead or options stay rules, because they are theirs; so do the root, the
// rules of dispatches and those that their tags open.
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

struct InlineBudgets {
  size_t n_nodes = 40;              // a body of at most so many nodes goes everywhere
  size_t n_nodes_used_once = 1000;  // and one used once if it has at most so many
  size_t n_nodes_in_members = 8;  // a body of at most so many nodes goes into members in any order
  size_t growth = 100000;         // nodes added in all
  size_t depth = 1000;            // of nodes in nodes, in a rule that takes a body in
};

Grammar inline_fragments(Grammar grammar, const InlineBudgets& budgets = {});

}  // namespace xg2lab::passes
