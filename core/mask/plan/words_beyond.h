// Rules behind which a word may come: where masks are walked for in their context (context_walk.h).
//
// Tests: tests/core/test_context_walk.py
//
// IDEA
//   FIRST and FOLLOW of the program's machines (Aho, Lam, Sethi, Ullman, section 4.4), not of all
//   bytes but of three questions: may an `a` come next, may an `e`, may a space come that is
//   followed by both? Where letters may follow a rule, at once or after a space, most tokens that
//   outlive it are for its callers to decide.
//
//   JSON: behind a string come `,` `}` and spaces, then `"`: no.
//   A program: behind a name, or a space, comes a name: yes.
//
// Callers are taken together, as in context expansion. A rule with one context only has no use for
// this.
//
//   Where a state's rule may end after one letter, and letters may follow at once, all longer words
//   are for its callers: part ::= [^()] | "(" part* ")" takes a character, then the next `part` is
//   asked. Likewise after one space.
//
// COST      a few passes over calls and the states that they touch, once a program.
// THREADS   immutable.
#pragma once

#include <vector>

#include "program/program.h"

namespace xg2lab {

class WordsBeyond {
 public:
  explicit WordsBeyond(const Program& program);  // which outlives it
  bool has(RuleId rule) const { return has_[rule.index()]; }
  // Without a space between: then nearly all that outlives the rule is for its callers.
  bool has_at_once(RuleId rule) const { return has_at_once_[rule.index()]; }
  // Whether most words, or most that follow a space, leave the state's rule before their second
  // byte.
  bool leave_at_once(StateId state) const;
  // Most words: the rule reads text letter by letter.
  bool leave_after_letters(StateId state) const;

 private:
  const Program& program_;
  std::vector<bool> has_;          // index: rule
  std::vector<bool> has_at_once_;  // likewise
};

}  // namespace xg2lab
