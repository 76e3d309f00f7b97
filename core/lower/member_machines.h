// The machine of members in any order: all of them in one, which knows which members end where.
//
// Tests: tests/core/test_any_order.py
//
// IDEA
//   Keys of an object that begin alike are one path, as in a trie: so members are made into one machine. Those that begin with words
//   are put together directly (member_trie.h), the others by the same subset construction as any rule. So that it doesn't join their
//   ends, each ends in an edge of its own, by a rule that there isn't; afterwards these edges become facts of the states that they leave.
//
//   A member is the name of a rule, but the rule's body is what becomes part of the machine. A rule that is nothing but a
//   member is therefore no rule of the program.
//
// EXAMPLE   AnyOrder(a, b?)   a ::= "name:" x   b ::= "note:" y
//           "n", then "a" or "o", and so on; after `x` a ends, after `y` b.
#pragma once

#include <optional>
#include <vector>

#include "automata/fsm.h"
#include "automata/member_sets.h"
#include "grammar/grammar.h"

namespace xg2lab {

// The body that a member or separator stands for. None: its rule has to stay one, for its options or its machine.
std::optional<ExprId> body_of_part(const Grammar& grammar, ExprId child);

// Rules of the grammar that are rules of the program, and their numbers there.
class KeptRules {
 public:
  explicit KeptRules(const Grammar& grammar);

  const std::vector<RuleId>& rules() const { return rules_; }  // of the grammar
  RuleId operator[](RuleId rule) const { return ids_[rule.index()]; }

 private:
  std::vector<RuleId> ids_;
  std::vector<RuleId> rules_;
};

// The order of members in their machine: that in which they come, if there is one; else by the text they begin with, so that
// those that can still be reached are neighbours.
std::vector<uint32_t> members_by_text(const Grammar& grammar, ExprId any_order);

// While the machine is made, the end of member i is an edge by this rule to the machine's one last state.
inline RuleId end_of_member(uint32_t member) { return RuleId((1u << 31) + member); }

struct MemberMachine {
  FrozenFsm fsm;
  std::vector<std::vector<uint32_t>> ends;  // by state
  // As in MemberFacts. Empty: whoever needs them looks for them (ProgramBuilder).
  std::vector<uint32_t> reach;
  std::vector<MemberRanges> reach_sets;
};

// The ends as facts of the states they leave, and without the last state.
MemberMachine with_ends(const FrozenFsm& marked);

}  // namespace xg2lab
