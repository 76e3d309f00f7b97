// Rules whose language is cut (lazy, max_chars): one machine each, with all they refer to written in.
//
// Twin:  xg2lab/reference/options.py
// Tests: tests/core/test_rule_options.py, tests/differential/test_rule_options.py
//
// IDEA
//   Where a match may end depends on all that was read of it, also by rules within it. So the rule becomes one
//   deterministic machine on bytes, which can be if nothing in it refers to itself, and then:
//
//     lazy           no edge leaves an accepting state: the first place where the rule can end is its only one
//     max_chars=N    a state also says how many code points were read. What can't end within N is left out, so
//                    no text runs into the limit unawares
//
// EXAMPLE   quoted[max_chars=3] ::= "\"" [a-z]* "\""     after `"a` only `"` may follow: two more letters and the limit
//           would come before the mark.
//           tags ::= "<" tags ">" | ""     refers to itself, so it can't be cut; a repetition within bounds can.
//
// COST      the subset construction; with max_chars up to N times its states. More than LowerOptions::max_states in
//           all is a LimitError.
#pragma once

#include <functional>
#include <unordered_map>

#include "automata/fsm.h"
#include "grammar/grammar.h"
#include "lower/lower.h"

namespace xg2lab {

class RegularRules {
 public:
  // `build` makes the machine of a body with rule edges for references, and repetitions written out.
  using Build = std::function<Fsm(ExprId body, RuleId rule)>;
  RegularRules(const Grammar& grammar, OriginSets& origins, const LowerOptions& options,
               Build build)
      : grammar_(grammar), origins_(origins), options_(options), build_(std::move(build)) {}

  // The machine of a rule with such options. Throws UnsupportedError (not regular, or a rule within it has to be
  // told apart), GrammarError (nothing is short enough), LimitError; all with the option's place.
  const FrozenFsm& machine_of(RuleId rule);

 private:
  FrozenFsm made(RuleId rule);
  std::vector<RuleId> callees_first(RuleId rule) const;
  Fsm with_calls_written_in(const Fsm& calls) const;
  FrozenFsm reduced(const Fsm& fsm);
  Fsm lazy(const Fsm& fsm, RuleId rule);
  Fsm bounded(const FrozenFsm& fsm, RuleId rule) const;
  [[noreturn]] void refuse(ErrorKind kind, const char* code, RuleId rule, std::string message,
                           std::string hint) const;
  [[noreturn]] void refuse_states(RuleId rule) const;

  const Grammar& grammar_;
  OriginSets& origins_;
  const LowerOptions& options_;
  const Build build_;
  RuleId asked_;  // whose machine is being made
  std::unordered_map<RuleId, FrozenFsm> machines_;
};

}  // namespace xg2lab
