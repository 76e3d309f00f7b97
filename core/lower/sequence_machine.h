// The machine of a rule's body that is a sequence without choices, written without a subset
// construction.
//
// Tests: tests/unit/lower_sequence_machine.cc
//
// IDEA
//   Long bodies are often sequences of literals, classes and calls, some of which may be repeated
//   or left out: an outline, a form, a fixed list of properties. After i parts such a body is at
//   *point* i. What a point reads is known from its neighbours: the part behind it, the parts
//   behind that one as long as parts may be left out, and the part before it if that one repeats.
//   If these never begin with the same byte (or call the same rule), the body's minimal machine has
//   one state for each point, for each place within a literal, and for each inner state of a
//   class's machine. So it is written out, state by state in breadth-first order.
//
//   x* needs no point of its own behind a point that no part repeats at: the edges of x lead back
//   to the same point.
//
// EXAMPLE   "<t>" [a-z]+ "</t>"   one state for each byte, and the class's state: it reads [a-z] to
//           itself, and "<" to the next literal.
//           [a-z]+ "and"          is no such sequence: "a" begins two parts.
//
// INVARIANTS
//   I1  the result is the machine that minimal() returns for the same body, with equal numbering
//       and origins: points differ in what must follow them, and so do the states within different
//       parts. The one exception, equal ends of a part and of an x* behind it, is refused.
//
// COST      linear in the states.
// SEE ALSO  Brüggemann-Klein and Wood 1998: a sequence that is not one-unambiguous needs subsets.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "automata/fsm.h"
#include "grammar/grammar.h"

namespace xg2lab {

// Makes the machines of one grammar's sequences.
class SequenceMachines {
 public:
  // `rule_called`: the rule that an expression calls, if the expression is a call.
  SequenceMachines(const Grammar& grammar, OriginSets& origins,
                   std::function<std::optional<RuleId>(ExprId, RuleId)> rule_called)
      : grammar_(grammar), origins_(origins), rule_called_(std::move(rule_called)) {}

  // The machine of the parts in turn, which occur in rule `user`. Nothing if a part is of another
  // kind, if two parts begin alike where both may come next, or if the machine would have more than
  // `max_states` states.
  std::optional<FrozenFsm> machine_of(std::span<const ExprId> parts, RuleId user,
                                      size_t max_states);

 private:
  // The minimal machine of a class: state 0 is its start, `last` its end.
  struct ClassMachine {
    FrozenFsm fsm;
    StateId last;
  };
  struct Part;
  class Writer;

  bool is_sequence(ExprId id, RuleId user);
  // Appends the parts of an expression for which is_sequence() holds. False if it repeats more than
  // one part.
  bool add(ExprId id, RuleId user, std::vector<Part>& parts);
  bool add_repeat(ExprId id, RuleId user, std::vector<Part>& parts);
  const ClassMachine& machine_of_class(ExprId id);

  const Grammar& grammar_;
  OriginSets& origins_;
  const std::function<std::optional<RuleId>(ExprId, RuleId)> rule_called_;
  std::map<std::vector<std::pair<uint32_t, uint32_t>>, ClassMachine> classes_;  // by ranges
};

}  // namespace xg2lab
