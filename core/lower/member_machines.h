// The member machine of an any-order rule: one machine for all members that records which members
// end in which state.
//
// Tests: tests/core/test_any_order.py
//
// IDEA
//   Keys of an object that share a prefix share a path, as in a trie, because all members are built
//   into one machine. Members that begin with literals are assembled directly (member_trie.h);
//   other members by the subset construction. Minimization must not merge the ends of different
//   members, so each member ends in an edge with a reserved rule id of its own. Afterwards these
//   edges are removed and become facts of the states that they leave.
//
//   A member is the name of a rule, but the body of that rule becomes part of the member machine. A
//   rule that is used only as a member is therefore not a rule of the program.
//
// EXAMPLE   AnyOrder(a, b?)   a ::= "name:" x   b ::= "note:" y
//           After "n" comes "a" or "o", and so on; member a ends after `x`, member b after `y`.
#pragma once

#include <optional>
#include <vector>

#include "automata/fsm.h"
#include "automata/member_sets.h"
#include "grammar/grammar.h"

namespace xg2lab {

// The body of a member or separator. Nothing if its rule must remain a rule, because of its options
// or because its machine is made another way.
std::optional<ExprId> body_of_part(const Grammar& grammar, ExprId child);

// The rules of the grammar that remain rules of the program, and their numbers there.
class KeptRules {
 public:
  explicit KeptRules(const Grammar& grammar);

  const std::vector<RuleId>& rules() const { return rules_; }  // of the grammar
  RuleId operator[](RuleId rule) const { return ids_[rule.index()]; }

 private:
  std::vector<RuleId> ids_;
  std::vector<RuleId> rules_;
};

// The order of members in their machine: the order of occurrence if the grammar fixes one;
// otherwise the order of their first literals, so that the members that can still be reached are
// neighbours.
std::vector<uint32_t> members_by_text(const Grammar& grammar, ExprId any_order);

// The reserved rule id that marks the end of member i while the machine is built. Its edge leads to
// the machine's single last state.
inline RuleId end_of_member(uint32_t member) { return RuleId((1u << 31) + member); }

struct MemberMachine {
  FrozenFsm fsm;
  std::vector<std::vector<uint32_t>> ends;  // by state
  // As in MemberFacts. If empty, ProgramBuilder computes them.
  std::vector<uint32_t> reach;
  std::vector<MemberRanges> reach_sets;
};

// Replaces the marking edges by facts of the states that they leave, and drops the last state.
MemberMachine with_ends(const FrozenFsm& marked);

}  // namespace xg2lab
