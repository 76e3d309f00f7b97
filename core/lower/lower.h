// Lowering: the one bridge from Grammar to Program.
//
// Tests: tests/core/test_program.py
//
// IDEA
//   Thompson's construction turns each rule's expression into an Fsm, and code points into UTF-8
//   bytes. The Fsm is determinized and minimized within a state budget, then frozen and appended to
//   the program. If the budget is exceeded, only epsilon edges are removed: the parser runs
//   nondeterministic machines too. The minimal machine of a sequence without choices is written
//   directly (sequence_machine.h).
//
//   A repetition with large bounds is not written out. It becomes an edge to a counted rule
//   (program.h), whose child is a rule made from the repeated part; both rules are named by their
//   text in the grammar. A set of tokens becomes an edge to its token rule; equal sets share one
//   token rule.
//
//   A rule with lazy or max_chars becomes one machine into which all rules that it calls are
//   inlined (regular_rules.h).
//
// EXAMPLE
//   [0-9]{2,5}         five states and a start
//   [0-9]{2,50000}     one edge to rule `[0-9]{2,50000}`, which has two states; its child `[0-9]`
//                      has two
//
// COST      linear in the size of the grammar with small repetitions written out, times the growth
//           of the subset construction, which is budgeted.
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
  // Limit on the states of all rules together and on the edges of one rule that stays
  // nondeterministic; exceeding it is a LimitError that names the rule.
  size_t max_states = 4'000'000;
  // Repetitions that would be written out more often than this are counted instead.
  bool repetition_compression = true;
  uint32_t repetition_threshold = 32;
  // Whether machines cached from other grammars' bodies are reused (known_machines.h).
  bool uses_known_machines = true;
  // Whether the bodies of this grammar are expected to occur again.
  bool expects_again = false;

  Reduction reduction() const {
    if (!determinize) return Reduction::kNoEpsilon;
    return minimize ? Reduction::kMinimal : Reduction::kDeterministic;
  }
  // The limits for the deterministic machine of a rule with this Thompson machine.
  // `n_thompson_states` counts the states of texts as if written out.
  SubsetLimits limits_of(const Fsm& thompson, size_t n_thompson_states) const {
    return {max_growth * n_thompson_states + growth_slack,
            reads_in_proportion(thompson, n_thompson_states), max_states};
  }
};

// The phases of lowering (support/phases.h), in the order in which a rule passes through them.
// "program" is the rest: assembling the machines and deriving facts about all of them.
constexpr std::array<std::string_view, 10> kLoweringPhases{
    "sequences",      "known_machines", "thompson",         "determinize", "minimize",
    "remove_epsilon", "regular_rules",  "dispatch_machine", "member_trie", "program",
};

// The grammar must be productive: every rule matches some string (passes/check_productive). If
// `phases` is given, the duration of each phase is added to it.
Program lower(const Grammar& grammar, const LowerOptions& options = {},
              PhaseTable* phases = nullptr);

}  // namespace xg2lab
