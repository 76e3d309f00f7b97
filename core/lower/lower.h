// Lowering: the one bridge from Grammar to Program.
//
// Tests: tests/core/test_program.py
//
// IDEA
//   Each rule's expression becomes an Fsm by Thompson's construction, code points becoming UTF-8 bytes on the
//   way. The Fsm is determinized and minimized within a state budget, then frozen and put beside
//   the others. Beyond the budget only epsilon edges go: the parser runs either.
//
//   A repetition with large bounds is not written out. It becomes an edge to a counted rule (program.h) whose child
//   is a rule made of the repeated part; their names are the words of the grammar. A set of tokens becomes an edge to
//   its token rule, one for equal sets.
//
//   Rules with lazy or max_chars become one machine with all they refer to (regular_rules.h).
//
// EXAMPLE
//   [0-9]{2,5}         five states and a start
//   [0-9]{2,50000}     one edge, to rule `[0-9]{2,50000}` of two states, with child `[0-9]` of two
//
// COST      linear in the grammar's size, small repetitions written out, times the subset construction's growth
//           (budgeted).
// SEE ALSO  Thompson 1968; XGrammar 2 section 3.3 (rules as minimized machines).
#pragma once

#include "automata/minimize.h"
#include "grammar/grammar.h"
#include "program/program.h"
#include "support/phases.h"

namespace xg2lab {

struct LowerOptions {
  bool determinize = true;
  bool minimize = true;
  // A rule whose deterministic machine would have more states than growth * (its Thompson states)
  // + slack, or would take more than reads_in_proportion() to find, stays nondeterministic.
  size_t max_growth = 4;
  size_t growth_slack = 1000;
  // All rules together, and the edges of one that stays nondeterministic; more is a LimitError
  // that names the rule.
  size_t max_states = 4'000'000;
  // Repetitions that would be written out more often than this are counted instead.
  bool repetition_compression = true;
  uint32_t repetition_threshold = 32;
  // Whether machines of bodies that other grammars had are taken from there (known_machines.h).
  bool uses_known_machines = true;

  Reduction reduction() const {
    if (!determinize) return Reduction::kNoEpsilon;
    return minimize ? Reduction::kMinimal : Reduction::kDeterministic;
  }
  // Of the deterministic machine of a rule whose Thompson machine is given. `n_thompson_states`:
  // with texts written out.
  SubsetLimits limits_of(const Fsm& thompson, size_t n_thompson_states) const {
    return {max_growth * n_thompson_states + growth_slack,
            reads_in_proportion(thompson, n_thompson_states), max_states};
  }
};

// The phases of lowering (support/phases.h), in the order in which a rule goes through them. "program" is the rest: machines
// put beside each other, and facts about all of them.
constexpr std::array<std::string_view, 9> kLoweringPhases{
    "known_machines", "thompson",         "determinize", "minimize", "remove_epsilon",
    "regular_rules",  "dispatch_machine", "member_trie", "program",
};

// The grammar must be productive: every rule matches some string (passes/check_productive).
// `phases`: what took how long is added there, if somebody wants to know.
Program lower(const Grammar& grammar, const LowerOptions& options = {},
              PhaseTable* phases = nullptr);

}  // namespace xg2lab
