// What may follow a rule at each of its uses, and whether that is the same at all uses.
//
// Tests: tests/core/test_passes.py
//
// IDEA
//   A token that runs past the end of a rule is decided by what may follow the rule. If the same
//   expression follows at every use, the token can be matched against that expression at once. This
//   is the context expansion of XGrammar (2024, section 3.2), computed here for display.
//
//   root ::= name "=" name ";"   name ::= [a-z]+      followed by "=" and by ";": not unique
//   root ::= ("[" name "]")+     name ::= [a-z]+      followed by "]": unique
//
//   A lookahead that the author wrote, `name ::= [a-z]+ (= "=")`, is a promise about what follows;
//   checks/check_lookaheads.h checks it against the grammar.
#pragma once

#include <optional>
#include <vector>

#include "grammar/grammar.h"

namespace xg2lab::analysis {

struct CallSite {
  RuleId caller;
  ExprId reference;
  // The next expression in the sequence around the reference. Nothing if the reference may end a
  // repetition or its caller, where several things may follow.
  std::optional<ExprId> next;
};

struct LookaheadInfo {
  std::vector<CallSite> sites;
  // the expression that follows at every site, if it is the same
  std::optional<ExprId> unique_next;
};

// index: RuleId. COST  linear in the grammar; a shared node counts once for each rule.
std::vector<LookaheadInfo> find_lookaheads(const Grammar& grammar);

}  // namespace xg2lab::analysis
