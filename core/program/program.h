// Program: the executable form of a grammar. Each rule is one frozen machine; the states of all
// rules share one numbering.
//
// Tests: tests/core/test_program.py, tests/differential/test_engine_vs_twin.py
//
// IDEA
//   The parser runs on states and knows nothing of syntax. Facts about the source that messages
//   need (names, spans) are copied into the program when the grammar is lowered. The states of rule
//   r have the ids [rules[r].first_state, rules[r].first_state + n_states); the first of them is
//   the rule's start.
//
//   A rule edge is a *tail edge* if its target is accepting and has no edge: after the called rule
//   nothing is left of the calling rule, so the called rule may return straight to the caller's
//   caller, and right recursion need not nest. Leo 1991 finds such returns at run time; here they
//   are read off the machine. A call from or to a rule with options is never a tail edge, since the
//   matcher must see where such a rule begins and ends.
//
//   A *counted rule* stands for child{min,max} with large bounds. Its machine has two states:
//   before the first match of the child, and after at least one. The parser's items carry the
//   number of matches (parse/counts.h). A repetition is therefore one edge in the machine that uses
//   it and two states in the counted rule, whatever its bounds.
//
//   An *any-order rule* matches its members in any order. Its machine has three states: before any
//   member (0), after a member (1), after a separator (2). It calls a *member rule*, whose single
//   machine matches any of the members and records for each state which members end there and which
//   can still be reached. The items of both rules carry the set of members matched so far
//   (automata/member_sets.h). So a thousand possible keys of an object are one item where a key may
//   come.
//
//   A *token rule* stands for a token edge, which consumes one whole token out of a set. Its
//   machine has two states and no byte edge between them; a token of the set leads from the first
//   to the second (ColumnTable::step_token). Code that handles rules therefore handles token edges
//   too.
//
// INVARIANTS
//   I1  terminal edges of a state are sorted by (lo, hi); rule edges by rule
//   I2  every state can reach an accepting state of its rule, and every rule matches some string:
//       every non-empty column of a parse is a viable prefix
//   I4  the child of a counted rule is called by that rule only
//   I3  two bytes of one byte class lie in the same terminal edges, for every state
//   I5  two tokens of one symbol lie in the same token rules' sets
//   I6  a member rule is called by its any-order rule only, doesn't match the empty string, and has
//       no tail edges; so the goal of an item in a member rule is the member rule itself
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
#include "dispatch/dispatch_facts.h"
#include "support/ids.h"
#include "support/source.h"
#include "support/token_set.h"

namespace xg2lab {

// child{min,max} as a counted rule keeps it. If the child is nullable, min is 0: empty matches can
// make up any missing number, and the parser counts only matches of at least one byte.
struct Repetition {
  static constexpr uint32_t kNoMax = UINT32_MAX;
  RuleId child;
  uint32_t min = 0;
  uint32_t max = kNoMax;

  bool has_max() const { return max != kNoMax; }
};

// Options of a rule that are needed at run time. The options that restrict a rule's language (lazy,
// max_chars) are already part of its machine.
struct RunOptions {
  std::optional<uint32_t> max_tokens;
  std::optional<std::string> capture;
  std::optional<double> temperature;
  // the rule that parses a match's bytes again, for the captures within the match
  std::optional<RuleId> parts;
  bool is_hidden = false;  // captures around a match leave the match's bytes out

  bool is_empty() const { return !max_tokens && !capture && !temperature && !parts && !is_hidden; }
};

// The members of an any-order rule. Their order is that of the member machine, not that of the
// source.
struct AnyOrderFacts {
  RuleId member_rule;
  RuleId separator;
  AnyOrderBounds bounds;
  std::vector<std::string> names;  // of the members, for messages
  uint32_t number = 0;             // among the program's any-order rules; set by the builder
};

// Facts about the states of a member rule. Index: the state, counted from its rule's first.
struct MemberFacts {
  RuleId any_order;                         // the rule that calls the member rule
  std::vector<std::vector<uint32_t>> ends;  // index: state; members that end there, ascending
  std::vector<uint32_t> reach;  // index: state; index into reach_sets. The builder derives both.
  std::vector<MemberRanges> reach_sets;  // members that can still be reached; no set occurs twice
};

// The facts about a rule that lowering computes. A serialized program holds exactly these facts
// (program/plain_fields.h).
struct LoweredRule {
  std::string name;
  SourceSpan span;
  SourceSpan name_span;
  uint32_t n_states = 0;
  std::optional<Repetition> repetition;            // set for a counted rule
  std::shared_ptr<const AnyOrderFacts> any_order;  // set for an any-order rule
  std::shared_ptr<const MemberFacts> members;      // set for a member rule
  std::shared_ptr<const DispatchFacts> dispatch;   // set for a tag dispatch
  std::shared_ptr<const RunOptions> options;       // null: the rule has no options
  std::shared_ptr<const TokenSet> tokens;          // set for a token rule
  // Set for a rule whose body is not compiled: the number of the content that is to be its body.
  // Its machine reads any one character, so what may follow the rule is known, and a parse that
  // would read from its start throws ContentsNeeded (parse/contents_needed.h).
  std::optional<uint32_t> absent_content;
};

// The builder derives the other facts.
struct ProgramRule : LoweredRule {
  uint32_t first_state = 0;
  bool is_nullable = false;
  // Whether the grammar alone determines what can follow the rule: the rule is called from one
  // place only, and so is its caller, up to the root.
  bool has_unique_context = false;
  std::optional<RuleId> repeated_by;  // set for the child of a counted rule

  StateId start() const { return StateId(first_state); }
};

struct CallEdge {
  RuleId rule;
  StateId to;
  bool is_tail;
  OriginSetId origins;
};

// What the items of a state's rule carry besides {state, origin, goal}.
enum class StateKind : uint8_t { kPlain, kCounted, kAnyOrder, kMember };

class Program {
 public:
  size_t n_rules() const { return rules_.size(); }
  size_t n_states() const { return rule_of_.size(); }
  RuleId root() const { return root_; }
  const ProgramRule& rule(RuleId id) const { return rules_[id.index()]; }
  RuleId rule_of(StateId state) const { return rule_of_[state.index()]; }
  bool is_accepting(StateId state) const { return is_accepting_[state.index()] != 0; }
  // Null if the state's rule is not a tag dispatch.
  const DispatchPosition* dispatch_position(StateId state) const {
    const ProgramRule& owner = rule(rule_of(state));
    return owner.dispatch ? &owner.dispatch->positions[state.value - owner.first_state] : nullptr;
  }
  // Whether a byte or a token can be scanned from the state.
  bool is_scannable(StateId state) const {
    return !terminals(state).empty() || is_before_token(state);
  }
  // Whether the state is the start of a token rule. A token of its set leads to the next state.
  bool is_before_token(StateId state) const { return is_before_token_[state.index()] != 0; }
  const TokenSet& tokens(StateId state) const { return *rule(rule_of(state)).tokens; }
  static StateId after_token(StateId state) { return StateId(state.value + 1); }
  bool has_token_edges() const { return has_token_edges_; }
  StateKind kind(StateId state) const { return kind_[state.index()]; }
  // The bounds of the counted rule that the state belongs to; null for states of other rules.
  const Repetition* repetition(StateId state) const {
    if (kind(state) != StateKind::kCounted) return nullptr;
    return &*rules_[rule_of_[state.index()].index()].repetition;
  }
  bool has_repetitions() const { return has_repetitions_; }
  // The facts of the any-order rule that the state belongs to; null for states of other rules.
  const AnyOrderFacts* any_order(StateId state) const {
    if (kind(state) != StateKind::kAnyOrder) return nullptr;
    return rules_[rule_of_[state.index()].index()].any_order.get();
  }
  // The number of the any-order rule that the state belongs to, directly or as a state of its
  // member rule.
  uint32_t any_order_number(StateId state) const;
  // For a state of a member rule: the members that end in the state, and those that can still be
  // reached.
  std::span<const uint32_t> members_ended(StateId state) const {
    const ProgramRule& owner = rule(rule_of(state));
    return owner.members->ends[state.value - owner.first_state];
  }
  const MemberRanges& members_reached(StateId state) const {
    const ProgramRule& owner = rule(rule_of(state));
    return owner.members->reach_sets[owner.members->reach[state.value - owner.first_state]];
  }
  // For a state of a member rule: whether the members matched so far can restrict what may follow.
  // They can if more than one member can still be reached.
  bool has_choice_of_members(StateId state) const;
  // The any-order rules, by number.
  const std::vector<RuleId>& any_order_rules() const { return any_order_rules_; }
  bool has_any_order() const { return !any_order_rules_.empty(); }
  // Whether items carry more than {state, origin, goal}.
  bool has_counts() const { return has_repetitions_ || has_budgets_ || has_any_order(); }
  // The number of tokens that a match of the state's rule may touch; 0: any number.
  uint32_t max_tokens(StateId state) const {
    const RunOptions* options = has_budgets_ ? rule(rule_of(state)).options.get() : nullptr;
    return options == nullptr ? 0 : options->max_tokens.value_or(0);
  }
  bool has_budgets() const { return has_budgets_; }
  bool has_temperatures() const { return has_temperatures_; }
  bool has_captures() const { return has_captures_; }
  bool has_absent_contents() const { return has_absent_contents_; }
  std::span<const TerminalEdge> terminals(StateId state) const {
    return row_of(terminal_edges_, terminal_begin_, state);
  }
  std::span<const CallEdge> calls(StateId state) const {
    return row_of(call_edges_, call_begin_, state);
  }
  // The states after the calls of `rule`, ascending. If such a state is accepting, completing
  // `rule` may complete the calling rule too.
  std::span<const StateId> return_states(RuleId rule) const;

  size_t n_byte_classes() const { return n_byte_classes_; }
  uint8_t byte_class(uint8_t byte) const { return byte_class_[byte]; }
  // Each byte class is a range; classes are in ascending order.
  uint8_t first_byte_of(uint8_t byte_class) const {
    return static_cast<uint8_t>(std::ranges::lower_bound(byte_class_, byte_class) -
                                byte_class_.begin());
  }
  // Whether `holds` is true of one byte of each class in the range; stops at the first false.
  template <class Holds>
  bool holds_of_each_class(ByteRange range, const Holds& holds) const {
    if (!holds(range.lo)) return false;
    for (size_t byte = range.lo + size_t{1}; byte <= range.hi; ++byte) {
      const bool is_new = byte_class_[byte] != byte_class_[byte - 1];  // each class is a range
      if (is_new && !holds(static_cast<uint8_t>(byte))) return false;
    }
    return true;
  }

  // A symbol leads from a column to the next one. Byte classes are numbered first, token symbols
  // after them.
  size_t n_symbols() const { return n_byte_classes_ + n_token_symbols_; }
  uint32_t token_symbol(TokenId token) const;

  // The source spans that an edge was made from.
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
  bool has_absent_contents_ = false;
  bool has_token_edges_ = false;
  std::vector<TerminalEdge> terminal_edges_;
  std::vector<uint32_t> terminal_begin_;
  std::vector<CallEdge> call_edges_;
  std::vector<uint32_t> call_begin_;
  std::vector<StateId> return_states_;
  std::vector<uint32_t> return_begin_;
  std::array<uint8_t, 256> byte_class_{};
  size_t n_byte_classes_ = 1;
  // ascending by token; tokens of symbol 0 are not listed
  std::vector<std::pair<TokenId, uint32_t>> token_symbols_;
  size_t n_token_symbols_ = 0;
  std::vector<SourceSpan> span_table_;
  std::vector<uint32_t> span_begin_;
  std::shared_ptr<const SourceText> source_ = std::make_shared<SourceText>();
};

// Assembles machines into a program. Used by lower/, linking/ and from_plain alone.
class ProgramBuilder {
 public:
  ProgramBuilder() = default;
  // Starts with all rules, origin sets and the source of `known`, which keep their numbers. The
  // facts about the rules of `known` are not derived again; none of these rules may call a rule
  // added later.
  explicit ProgramBuilder(const Program& known);
  void add_rule(ProgramRule rule, const FrozenFsm& fsm);
  void add_token_rule(ProgramRule rule);  // Needs `rule.tokens`; the machine is made here.
  // Adds a counted rule and makes its machine. Its child must be a rule of its own (I4).
  void add_counted_rule(ProgramRule rule, const Repetition& repetition, OriginSetId origins);
  // Adds an any-order rule and makes its machine. Its member rule and its separator must be rules
  // of their own (I6).
  void add_any_order_rule(ProgramRule rule, AnyOrderFacts facts, OriginSetId origins);
  // Adds the member rule. If `facts` lack the reachable members, the builder computes them.
  void add_member_rule(ProgramRule rule, const FrozenFsm& fsm, MemberFacts facts);
  // Adds a copy of a rule of another program, under the name. `rules` maps that program's rules to
  // those of this one (index: the other program's RuleId); origin sets keep their numbers.
  void add_copy(const Program& from, RuleId rule, std::span<const RuleId> rules, std::string name);
  size_t n_rules() const { return program_.n_rules(); }
  size_t n_states() const { return program_.n_states(); }
  // Adds the spans of the next origin set, in any order and perhaps with duplicates; sorts `spans`.
  void add_origins(std::vector<SourceSpan>& spans);
  void set_source(std::shared_ptr<const SourceText> source) {
    program_.source_ = std::move(source);
  }
  // Takes over all origin sets, and the source, of another program.
  void copy_origins(const Program& from);
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
  // What was known when the builder started: the facts of these need not be derived.
  size_t n_known_rules_ = 0;
  size_t n_known_terminals_ = 0;
  size_t n_known_calls_ = 0;
};

}  // namespace xg2lab
