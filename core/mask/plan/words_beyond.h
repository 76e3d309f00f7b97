// The rules that words may follow: their masks are better found by a walk from the column
// (context_walk.h).
//
// Tests: tests/core/test_context_walk.py
//
// IDEA
//   FIRST and FOLLOW of the program's machines (Aho, Lam, Sethi, Ullman, section 4.4), computed for
//   three questions instead of all bytes: may an `a` come next, may an `e` come next, may a space
//   come next that both of them may follow? If letters may follow a rule, at once or after a space,
//   most tokens that continue after the rule depend on the rule's callers.
//
//   JSON: a string is followed by `,`, `}` or spaces, and spaces by `"`: words do not follow.
//   A programming language: a name, or a space, is followed by a name: words follow.
//
//   All callers of a rule are taken together, as in context expansion. A rule with a unique context
//   counts as not followed by words: its one context decides all its tokens.
//
//   If a state's rule may end after one letter, and letters may follow at once, the callers decide
//   all longer words: part ::= [^()] | "(" part* ")" reads one character, then the next `part`
//   reads the second one. The same holds after one space.
//
// COST      a few passes over the calls and the states next to them, once for each program.
// THREADS   immutable.
#pragma once

#include <vector>

#include "program/program.h"

namespace xg2lab {

class WordsBeyond {
 public:
  explicit WordsBeyond(const Program& program);  // must outlive this object
  bool has(RuleId rule) const { return has_[rule.index()]; }
  // A word may follow without a space between: then the callers decide nearly all tokens that
  // continue after the rule.
  bool has_at_once(RuleId rule) const { return has_at_once_[rule.index()]; }
  // True if most words, or most words after a space, leave the state's rule before their second
  // byte.
  bool leave_at_once(StateId state) const;
  // True if most words leave it so, without a space: the rule reads text letter by letter.
  bool leave_after_letters(StateId state) const;

 private:
  const Program& program_;
  std::vector<bool> has_;          // index: rule
  std::vector<bool> has_at_once_;  // likewise
};

}  // namespace xg2lab
