// Program: the executable form of a grammar. One frozen machine a rule, all states in one numbering.
//
// Tests: tests/core/test_program.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   The parser runs on states and knows nothing of syntax. What it needs of the source (names, spans for
//   messages) is copied here when the grammar is lowered. States of rule r are the ids
//   [rules[r].first_state, rules[r].first_state + n_states), its start being the first.
//
//   A rule edge is a *tail edge* if its target is accepting and has no edge: after the called rule
//   nothing is left to do, so the call may return straight to the caller's caller: right recursion
//   need not nest (what Leo 1991 finds at run time, seen here in the machine). Calls of and in
//   rules with options are none: who reads a text must see where such a rule begins and ends.
//
//   A *counted rule* stands for child{min,max} with large bounds. Its machine is two states, before the first match
//   of the child and after some; how many, the parser's items count (parse/counts.h). So a repetition is one
//   edge in the machine that uses it and two states here, whatever its bounds.
//
//   An *any-order rule* stands for members in any order. Its machine is three states: before any member (0), after a member
//   (1), after a separator (2). It calls a *member rule*, in which all its members are one machine that knows which of them
//   end in a state and which can still be reached from it; the items of both rules carry which members were matched
//   (automata/member_sets.h). So a thousand keys of an object are one item at the place of a key.
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
//   I6  a member rule is called by its any-order rule only, matches no empty text, and has no tail edges; so the goal of an
//       item in it is the rule itself
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
#include "automata/member_sets.h"
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

// Options of a rule that matter while a text is read; what cuts its language (lazy, max_chars) is in its machine.
struct RunOptions {
  std::optional<uint32_t> max_tokens;
  std::optional<std::string> capture;
  std::optional<double> temperature;
  std::optional<RuleId> parts;  // who reads the bytes of a match once more, for captures within it
  bool is_hidden = false;       // captures around a match leave its bytes out

  bool is_empty() const { return !max_tokens && !capture && !temperature && !parts && !is_hidden; }
};

// Members in any order, as an any-order rule keeps them: in the order of their machines, not in that of the source.
struct AnyOrderFacts {
  RuleId member_rule;
  RuleId separator;
  AnyOrderBounds bounds;
  std::vector<std::string> names;  // of the members, for messages
  uint32_t number = 0;             // of the program's any-order rules; given by the builder
};

// What a state of a member rule knows. Index: the state, counted from its rule's first.
struct MemberFacts {
  RuleId any_order;                         // who calls the rule
  std::vector<std::vector<uint32_t>> ends;  // members that are complete there, ascending
  std::vector<uint32_t> reach;           // index into reach_sets; made by the builder, as they are
  std::vector<MemberRanges> reach_sets;  // members that can still be completed, each set once
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
  std::optional<Repetition> repetition;            // of a counted rule
  std::optional<RuleId> repeated_by;               // of its child: the counted rule
  std::shared_ptr<const AnyOrderFacts> any_order;  // of an any-order rule
  std::shared_ptr<const MemberFacts> members;      // of a member rule
  std::shared_ptr<const DispatchFacts> dispatch;   // null: the rule is none
  std::shared_ptr<const RunOptions> options;       // null: none
  std::shared_ptr<const TokenSet> tokens;          // of a token rule

  StateId start() const { return StateId(first_state); }
};

struct CallEdge {
  RuleId rule;
  StateId to;
  bool is_tail;
  OriginSetId origins;
};

// Which of its rules' items carry what beside their place.
enum class StateKind : uint8_t { kPlain, kCounted, kAnyOrder, kMember };

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
  StateKind kind(StateId state) const { return kind_[state.index()]; }
  // The repetition whose state this is; null for all states but those of counted rules.
  const Repetition* repetition(StateId state) const {
    if (kind(state) != StateKind::kCounted) return nullptr;
    return &*rules_[rule_of_[state.index()].index()].repetition;
  }
  bool has_repetitions() const { return has_repetitions_; }
  // Of the rule whose state this is; null for all but any-order rules.
  const AnyOrderFacts* any_order(StateId state) const {
    if (kind(state) != StateKind::kAnyOrder) return nullptr;
    return rules_[rule_of_[state.index()].index()].any_order.get();
  }
  static bool is_after_member(const ProgramRule& any_order, StateId state) {
    return state.value == any_order.first_state + 1;
  }
  // Of an any-order or a member rule's state: the number of the any-order rule.
  uint32_t any_order_number(StateId state) const;
  // Of a member rule's state: the members that end there, and those that can still be reached.
  std::span<const uint32_t> members_ended(StateId state) const {
    const ProgramRule& owner = rule(rule_of(state));
    return owner.members->ends[state.value - owner.first_state];
  }
  const MemberRanges& members_reached(StateId state) const {
    const ProgramRule& owner = rule(rule_of(state));
    return owner.members->reach_sets[owner.members->reach[state.value - owner.first_state]];
  }
  // Whether it depends on the members that were matched what may follow in the state of a member rule: there is more than
  // one that can still be reached.
  bool has_choice_of_members(StateId state) const;
  // The any-order rules, by number.
  const std::vector<RuleId>& any_order_rules() const { return any_order_rules_; }
  bool has_any_order() const { return !any_order_rules_.empty(); }
  // Whether items carry more than their place.
  bool has_counts() const { return has_repetitions_ || has_budgets_ || has_any_order(); }
  // How many tokens a match of the state's rule may touch; 0: any number.
  uint32_t max_tokens(StateId state) const {
    const RunOptions* options = has_budgets_ ? rule(rule_of(state)).options.get() : nullptr;
    return options == nullptr ? 0 : options->max_tokens.value_or(0);
  }
  bool has_budgets() const { return has_budgets_; }
  bool has_temperatures() const { return has_temperatures_; }
  bool has_captures() const { return has_captures_; }
  std::span<const TerminalEdge> terminals(StateId state) const {
    return row_of(terminal_edges_, terminal_begin_, state);
  }
  std::span<const CallEdge> calls(StateId state) const {
    return row_of(call_edges_, call_begin_, state);
  }
  // The states after the calls of `rule`, ascending. Where one ends its own rule a parse goes on
  // as that returns.
  std::span<const StateId> return_states(RuleId rule) const;

  size_t n_byte_classes() const { return n_byte_classes_; }
  uint8_t byte_class(uint8_t byte) const { return byte_class_[byte]; }
  // Classes are ranges, in ascending order.
  uint8_t first_byte_of(uint8_t byte_class) const {
    return static_cast<uint8_t>(std::ranges::lower_bound(byte_class_, byte_class) -
                                byte_class_.begin());
  }
  // Whether `holds` is true of every class in the range: it is asked of one byte each, up to the first no.
  template <class Holds>
  bool holds_of_each_class(ByteRange range, const Holds& holds) const {
    if (!holds(range.lo)) return false;
    for (size_t byte = range.lo + size_t{1}; byte <= range.hi; ++byte) {
      const bool is_new = byte_class_[byte] != byte_class_[byte - 1];  // a class is a range
      if (is_new && !holds(static_cast<uint8_t>(byte))) return false;
    }
    return true;
  }

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
  std::vector<StateKind> kind_;
  std::vector<RuleId> any_order_rules_;
  std::vector<uint8_t> is_before_token_;
  bool has_repetitions_ = false;
  bool has_budgets_ = false;
  bool has_temperatures_ = false;
  bool has_captures_ = false;
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
  // An any-order rule: its machine is made here. Its member rule and separator are rules of their own (I6).
  void add_any_order_rule(ProgramRule rule, AnyOrderFacts facts, OriginSetId origins);
  // Its member rule. What its states reach is looked for if `facts` don't say it.
  void add_member_rule(ProgramRule rule, const FrozenFsm& fsm, MemberFacts facts);
  // The next origin set's places, in any order, and some perhaps more than once; sorts them.
  void add_origins(std::vector<SourceSpan>& spans);
  void set_source(std::shared_ptr<const SourceText> source) {
    program_.source_ = std::move(source);
  }
  Program build(RuleId root) &&;

 private:
  void mark_tails();
  void find_nullable();
  void settle_repetitions();
  void find_options();
  void find_byte_classes();
  void find_token_symbols();
  void find_return_states();
  void find_unique_contexts();
  void find_members_reached();

  Program program_;
};

}  // namespace xg2lab
