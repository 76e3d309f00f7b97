// Rules whose options restrict their language (lazy, max_chars): each becomes one machine with all
// called rules inlined.
//
// Twin:  xg2lab/reference/options.py
// Tests: tests/core/test_rule_options.py, tests/differential/test_rule_options.py
//
// IDEA
//   Where a match may end depends on everything read since the match began, including bytes read by
//   called rules. So the rule becomes one deterministic machine on bytes, which is possible if
//   nothing in it is recursive. Then:
//
//     lazy           accepting states have no outgoing edges: a match ends at the first position
//                    where it can
//     max_chars=N    a state also counts the code points read. States from which no accepting state
//                    is within N code points are dropped, so no text runs into the limit midway
//
// EXAMPLE   quoted[max_chars=3] ::= "\"" [a-z]* "\""     after `"a` only `"` may follow: after
//           another letter the limit would come before the closing quote.
//           tags ::= "<" tags ">" | ""     is recursive, so the options are refused; a bounded
//           repetition is not.
//
// COST      the subset construction; with max_chars up to N times its states. Exceeding
//           LowerOptions::max_states in total is a LimitError.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "automata/fsm.h"
#include "grammar/grammar.h"
#include "lower/lower.h"

namespace xg2lab {

class RegularRules {
 public:
  // `build` makes the machine of a body, with rule edges for references and with repetitions
  // written out.
  using Build = std::function<Fsm(ExprId body, RuleId rule)>;
  RegularRules(const Grammar& grammar, OriginSets& origins, const LowerOptions& options,
               Build build)
      : grammar_(grammar), origins_(origins), options_(options), build_(std::move(build)) {}

  // The machine of a rule with lazy or max_chars. Throws UnsupportedError (the rule is not regular,
  // or a rule within it must remain a rule), GrammarError (no match is short enough), LimitError;
  // each with the span of the option.
  const FrozenFsm& machine_of(RuleId rule);

 private:
  FrozenFsm made(RuleId rule);
  struct Parts {
    std::vector<RuleId> rules;
    bool has_tokens = false;
    bool has_any_order = false;
  };
  Parts parts_of(ExprId body) const;
  std::vector<RuleId> callees_first(RuleId rule) const;
  void check_parts(RuleId rule, RuleId within, const Parts& parts) const;
  void check_options_within(RuleId rule, RuleId within) const;
  [[noreturn]] void refuse_recursion(RuleId rule, RuleId within) const;
  std::string rule_and_option(RuleId rule) const;
  std::string_view option_of(RuleId rule) const;
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
  RuleId asked_;  // the rule whose machine is being made
  std::unordered_map<RuleId, FrozenFsm> machines_;
};

}  // namespace xg2lab
