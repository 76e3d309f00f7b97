// Program: the executable form of a grammar. One frozen machine a rule, all states in one numbering.
//
// Tests: tests/core/test_program.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   The parser runs on states and knows nothing of syntax. What it needs of the source (names, spans for
//   messages) is copied here when the grammar is lowered. States of rule r are the ids
//   [rules[r].first_state, rules[r].first_state + n_states), its start being the first.
//
//   A rule edge is a *tail edge* if its target is accepting and has no edge: after the called rule nothing
//   is left to do, so the call may return straight to the caller's caller. Right recursion then costs
//   nothing (what Leo 1991 finds at run time, seen here in the machine).
//
//   A *counted rule* stands for child{min,max} with large bounds. Its machine is two states, before the first match
//   of the child and after some; how many, the parser's items count (parse/counts.h). So a repetition is one
//   edge in the machine that uses it and two states here, whatever its bounds.
//
//   A *token rule* stands for a token edge: one whole token out of a set. Its machine is two states and no byte leads
//   from the one to the other; a token of the set does (ColumnTable::step_token). So whatever knows rules knows tokens.
//
// INVARIANTS
//   I1  terminal edges of a state are sorted by (lo, hi); rule edges by rule
//   I2  every state can reach an accepting state of its rule, and every rule matches some string:
//       every non-empty column of a parse is a viable prefix
//   I4  the child of a counted rule is called by that rule only
//   I3  two bytes of one byte class lie in the same terminal edges, for every state
//   I5  two tokens of one symbol lie in the same token rules' sets
//
// THREADS   immutable: shared by any number of threads.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "automata/fsm.h"
#include "dispatch/place.h"
#include "support/ids.h"
#include "support/source.h"
#include "support/token_set.h"

namespace xg2lab {

// child{min,max} as a counted rule keeps it. If the child matches the empty string min is 0: matches of nothing can
// make up any number, and the parser counts those of one byte or more.
struct Repetition {
  static constexpr uint32_t kNoMax = UINT32_MAX;
  RuleId child;
  uint32_t min = 0;
  uint32_t max = kNoMax;

  bool has_max() const { return max != kNoMax; }
};

struct ProgramRule {
  std::string name;
  SourceSpan span;
  SourceSpan name_span;
  uint32_t first_state = 0;
  uint32_t n_states = 0;
  bool is_nullable = false;
  // Whether all that can follow the rule is known from the grammar alone: it is called from one place only,
  // and so is its caller, up to the root.
  bool has_unique_context = false;
  std::optional<Repetition> repetition;           // of a counted rule
  std::optional<RuleId> repeated_by;              // of its child: the counted rule
  std::shared_ptr<const DispatchFacts> dispatch;  // null: the rule is none
  std::shared_ptr<const TokenSet> tokens;         // of a token rule

  StateId start() const { return StateId(first_state); }
};

struct CallEdge {
  RuleId rule;
  StateId to;
  bool is_tail;
  OriginSetId origins;
};

class Program {
 public:
  size_t n_rules() const { return rules_.size(); }
  size_t n_states() const { return rule_of_.size(); }
  RuleId root() const { return root_; }
  const ProgramRule& rule(RuleId id) const { return rules_[id.index()]; }
  RuleId rule_of(StateId state) const { return rule_of_[state.index()]; }
  bool is_accepting(StateId state) const { return is_accepting_[state.index()] != 0; }
  // Null: the state's rule is no dispatch.
  const DispatchPlace* dispatch_place(StateId state) const {
    const ProgramRule& owner = rule(rule_of(state));
    return owner.dispatch ? &owner.dispatch->places[state.value - owner.first_state] : nullptr;
  }
  // Whether a byte or a token may come next.
  bool is_scannable(StateId state) const {
    return !terminals(state).empty() || is_before_token(state);
  }
  // Whether the state is the start of a token rule; after a token of its set comes the state after it.
  bool is_before_token(StateId state) const { return is_before_token_[state.index()] != 0; }
  const TokenSet& tokens(StateId state) const { return *rule(rule_of(state)).tokens; }
  static StateId after_token(StateId state) { return StateId(state.value + 1); }
  bool has_token_edges() const { return has_token_edges_; }
  // The repetition whose state this is; null for all states but those of counted rules.
  const Repetition* repetition(StateId state) const {
    if (is_counted_[state.index()] == 0) return nullptr;
    return &*rules_[rule_of_[state.index()].index()].repetition;
  }
  bool has_repetitions() const { return has_repetitions_; }
  std::span<const TerminalEdge> terminals(StateId state) const;
  std::span<const CallEdge> calls(StateId state) const;
  // States at which a parse may go on once `rule` is complete, over all callers.
  std::span<const StateId> return_states(RuleId rule) const;

  size_t n_byte_classes() const { return n_byte_classes_; }
  uint8_t byte_class(uint8_t byte) const { return byte_class_[byte]; }

  // A column goes on by a symbol: the class of a byte, or that of a token behind all of those.
  size_t n_symbols() const { return n_byte_classes_ + n_token_symbols_; }
  uint32_t token_symbol(TokenId token) const;

  // Where in the source an edge came from.
  std::span<const SourceSpan> spans(OriginSetId origins) const;
  const SourceText& source() const { return *source_; }
  size_t memory_size_bytes() const;

 private:
  friend class ProgramBuilder;

  RuleId root_;
  std::vector<ProgramRule> rules_;
  std::vector<RuleId> rule_of_;
  std::vector<uint8_t> is_accepting_;
  std::vector<uint8_t> is_counted_;
  std::vector<uint8_t> is_before_token_;
  bool has_repetitions_ = false;
  bool has_token_edges_ = false;
  std::vector<TerminalEdge> terminal_edges_;
  std::vector<uint32_t> terminal_begin_;
  std::vector<CallEdge> call_edges_;
  std::vector<uint32_t> call_begin_;
  std::vector<StateId> return_states_;
  std::vector<uint32_t> return_begin_;
  std::array<uint8_t, 256> byte_class_{};
  size_t n_byte_classes_ = 1;
  std::vector<std::pair<TokenId, uint32_t>> token_symbols_;  // ascending; symbol 0 is not listed
  size_t n_token_symbols_ = 0;
  std::vector<SourceSpan> span_table_;
  std::vector<uint32_t> span_begin_;
  std::shared_ptr<const SourceText> source_ = std::make_shared<SourceText>();
};

// Puts machines together. Used by lower/ alone.
class ProgramBuilder {
 public:
  void add_rule(ProgramRule rule, const FrozenFsm& fsm);
  void add_token_rule(ProgramRule rule);  // with its `tokens`; the machine is made here
  // A counted rule: its machine is made here. The child is a rule of its own (I4).
  void add_counted_rule(ProgramRule rule, const Repetition& repetition, OriginSetId origins);
  void set_origins(std::vector<std::vector<SourceSpan>> spans_of_origin_set);
  void set_source(std::shared_ptr<const SourceText> source) {
    program_.source_ = std::move(source);
  }
  Program build(RuleId root) &&;

 private:
  void mark_tails();
  void find_nullable();
  void settle_repetitions();
  void find_byte_classes();
  void find_token_symbols();
  void find_return_states();
  void find_unique_contexts();

  Program program_;
};

}  // namespace xg2lab
