// What follows a rule: where it is used, and whether that is the same everywhere.
//
// Tests: tests/core/test_passes.py
//
// IDEA
//   A token that runs past the end of a rule is decided by what may follow the rule. If one and the
//   same expression follows at every use, the token can be tried against that at once; this is the
//   context expansion of XGrammar (2024, section 3.2), here for display.
//
//   root ::= name "=" name ";"   name ::= [a-z]+      followed by "=" and by ";": not unique
//   root ::= ("[" name "]")+     name ::= [a-z]+      followed by "]": unique
//
//   A lookahead that the author wrote, `name ::= [a-z]+ (= "=")`, is a promise about what follows;
//   check_lookaheads.h holds it against the grammar.
#pragma once

#include <optional>
#include <vector>

#include "grammar/grammar.h"

namespace xg2lab::analysis {

struct CallSite {
  RuleId caller;
  ExprId reference;
  // The next expression in the sequence around the reference; nothing if the reference may end a
  // repetition or its caller, where more than one thing may follow.
  std::optional<ExprId> next;
};

struct LookaheadInfo {
  std::vector<CallSite> sites;
  std::optional<ExprId> unique_next;  // what follows at every site, if it is equal everywhere
};

// index: RuleId. COST  linear in the grammar, a shared node counted once for each rule.
std::vector<LookaheadInfo> find_lookaheads(const Grammar& grammar);

}  // namespace xg2lab::analysis
