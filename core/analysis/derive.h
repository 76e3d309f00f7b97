// Facts that hold of a rule because they hold of its parts: productive, nullable.
//
// IDEA
//   Both facts are least solutions of the same equations. A sequence has the fact if all its
//   children have it, a choice if one has, a repetition if its child has or if it may match zero
//   times, a reference if its rule's body has. Only the leaves differ: a literal is productive (it
//   can match something), and it isn't nullable (it can't match the empty string).
//
//   root ::= "a" root | "b"    productive, because of "b"       not nullable
//   root ::= "a" root          not productive: it never ends    not nullable
//   root ::= root?             productive                       nullable
//
// COST      linear: each edge of the grammar is looked at once.
#pragma once

#include <vector>

#include "grammar/grammar.h"

namespace xg2lab::analysis {

struct Facts {
  std::vector<bool> exprs;  // index: ExprId
  std::vector<bool> rules;  // index: RuleId
};

// Which parts match at least one string.
Facts find_productive(const Grammar& grammar);
// Which parts match the empty string.
Facts find_nullable(const Grammar& grammar);
// The rules' half of find_nullable.
std::vector<bool> nullable_rules(const Grammar& grammar);

}  // namespace xg2lab::analysis
