// FIRST of states and FOLLOW of rules (Aho, Lam, Sethi, Ullman, section 4.4), for any property of
// the next byte.
//
// Tests: tests/core/test_context_walk.py, tests/differential/test_words.py
//
// IDEA
//   The caller initializes first[state] with the properties of the bytes that the state reads
//   itself. settle() propagates the sets to the states before calls and to the rules that end.
//   `Set` must have `|` and `==`. The set of the 256 bytes is one use (rows.h), a bit for each
//   property another (mask/plan/words_beyond.h).
//
//   root ::= name "(" arg? ")"    arg ::= name    name ::= [a-z]+
//   FIRST of the state before `arg?`: a letter, and `)` because `arg?` may be empty.
//   FOLLOW of name: `(` and `)`.
//
// INVARIANTS
//   I1  after settle() no set grows: first[from] contains first[start of the called rule], and also
//       first[to] if that rule is nullable; follow[rule] contains after(to)
//
// COST      settle: a few passes over the calls.
// THREADS   belongs to its owner's thread.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"
#include "support/budget.h"

namespace xg2lab {

template <class Set>
class FirstFollow {
 public:
  struct Call {
    StateId from;
    RuleId rule;
    StateId to;
  };

  explicit FirstFollow(const Program& program)
      : first(program.n_states()),
        follow(program.n_rules()),
        program_(program),
        may_end_(program.n_states()) {
    for (uint32_t s = 0; s < program.n_states(); ++s) {
      may_end_[s] = program.is_accepting(StateId(s));
      for (const CallEdge& call : program.calls(StateId(s)))
        calls_.push_back({StateId(s), call.rule, call.to});
    }
  }

  const std::vector<Call>& calls() const { return calls_; }  // sorted by `from`

  // Call after `first` is initialized, and again after `first` has grown.
  void settle() {
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      count_work("computing what may follow rules", calls_.size());
      // Later states are closer to the end of their rules, so a backward pass needs fewer rounds.
      for (size_t i = calls_.size(); i-- > 0;) {
        const auto& [from, rule, to] = calls_[i];
        const ProgramRule& called = program_.rule(rule);
        Set more = first[called.start().index()];
        if (called.is_nullable) more = static_cast<Set>(more | first[to.index()]);
        has_changed |= add(first[from.index()], more);
        if (called.is_nullable && may_end(to) && !may_end(from)) {
          may_end_[from.index()] = 1;
          has_changed = true;
        }
      }
    }
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      count_work("computing what may follow rules", calls_.size());
      for (const Call& call : calls_) has_changed |= add(follow[call.rule.index()], after(call.to));
    }
  }

  // The set of the bytes that may come next in a state: read by the state's rule or, if the rule
  // may end there, by its callers.
  Set after(StateId state) const {
    const Set& own = first[state.index()];
    if (!may_end(state)) return own;
    return static_cast<Set>(own | follow[program_.rule_of(state).index()]);
  }

  std::vector<Set> first;   // index: state
  std::vector<Set> follow;  // index: rule

 private:
  bool may_end(StateId state) const { return may_end_[state.index()] != 0; }

  static bool add(Set& set, const Set& more) {
    const Set before = set;
    set = static_cast<Set>(set | more);
    return set != before;
  }

  const Program& program_;
  std::vector<uint8_t> may_end_;  // index: state
  std::vector<Call> calls_;
};

}  // namespace xg2lab
