// Facts about rules that follow from their parts: productive, nullable.
//
// IDEA
//   Both facts are least solutions of the same equations. A sequence has the fact if all its
//   children have it; a choice if one child has it; a repetition if its child has it or zero
//   matches are permitted; a reference if the body of its rule has it. Only the leaves differ: a
//   literal is productive (it matches a string) but not nullable (it doesn't match the empty
//   string).
//
//   root ::= "a" root | "b"    productive, because of "b"         not nullable
//   root ::= "a" root          not productive: no match can end   not nullable
//   root ::= root?             productive                         nullable
//
// COST      linear: each edge of the grammar is visited once.
#pragma once

#include <vector>

#include "grammar/grammar.h"

namespace xg2lab::analysis {

struct Facts {
  std::vector<bool> exprs;  // index: ExprId
  std::vector<bool> rules;  // index: RuleId
};

// The parts that match at least one string.
Facts find_productive(const Grammar& grammar);
// The parts that match the empty string.
Facts find_nullable(const Grammar& grammar);
// find_nullable for rules alone.
std::vector<bool> nullable_rules(const Grammar& grammar);

}  // namespace xg2lab::analysis
