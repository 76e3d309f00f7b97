// Read: BeyondBuilder (a closure over the states that a walk may have seen, an overapproximation),
// then BeyondMatcher (pairs recorded states and rules with the other grammar's, edge by edge, and
// stops at the first contradiction).
#include "mask/pool/beyond.h"

#include <algorithm>
#include <utility>

#include "support/hash.h"

namespace xg2lab {
namespace {

constexpr size_t kMaxSeenStates = 4096;

}  // namespace

// ---- Recording the seen states ----

// The closure ignores origins: if a rule completes anywhere in the walk, every state that waits for
// the rule is taken to continue. The record may therefore hold more states than the walk saw. Then
// matches() demands more agreement than needed, never less.
class BeyondBuilder {
 public:
  BeyondBuilder(const ColumnTable& table, RuleId rule, const BeyondSteps& steps)
      : program_(table.program()) {
    // The bytes that the walk read in a column count for each state of the column.
    for (const auto& [column, bytes] : steps.bytes()) {
      table.for_each_item(ColumnId(column),
                          [&](const Item& item) { read_[item.state.value] |= bytes; });
    }
    MetRule& first = rules_[number_of(rule)];
    first.is_complete = first.has_returned = true;
    return_from(rule);
  }

  std::optional<Beyond> build() {
    // follow() appends to seen_, so the loop ends when the closure is complete.
    for (size_t i = 0; i < seen_.size(); ++i) {
      if (seen_.size() > kMaxSeenStates) return std::nullopt;
      follow(seen_[i]);
    }
    Beyond out;
    for (StateId state : seen_) out.states_.push_back(copy(state));
    for (size_t i = 0; i < rules_.size(); ++i) out.rules_.push_back(copy(rules_[i]));
    return out;
  }

 private:
  struct MetRule {
    RuleId rule;
    bool is_complete = false;
    bool has_returned = false;  // a return to an unknown caller entered one of its states
    std::vector<StateId> waiting;
  };

  uint32_t number_of(RuleId rule) {
    const auto [known, is_new] =
        number_of_rule_.emplace(rule.value, static_cast<uint32_t>(rules_.size()));
    if (is_new) rules_.push_back({rule, false, false, {}});
    return known->second;
  }

  void see(StateId state) {
    const auto [known, is_new] = number_.emplace(state.value, static_cast<uint32_t>(seen_.size()));
    if (!is_new) return;
    seen_.push_back(state);
    number_of(program_.rule_of(state));
  }

  void follow(StateId state) {
    if (program_.is_accepting(state)) complete(number_of(program_.rule_of(state)));
    for (const CallEdge& edge : program_.calls(state)) {
      const uint32_t rule = number_of(edge.rule);
      see(program_.rule(edge.rule).start());
      // The state after a call is seen once the called rule has completed. complete() reads
      // `waiting` for calls that come before the completion.
      if (rules_[rule].is_complete || program_.rule(edge.rule).is_nullable) see(edge.to);
      rules_[rule].waiting.push_back(edge.to);
    }
    const auto bytes = read_.find(state.value);
    if (bytes == read_.end()) return;
    for (const TerminalEdge& edge : program_.terminals(state)) {
      for (size_t byte = edge.range.lo; byte <= edge.range.hi; ++byte) {
        if (!bytes->second.test(byte)) continue;
        see(edge.to);
        break;
      }
    }
  }

  void complete(uint32_t rule) {
    if (rules_[rule].is_complete) return;
    rules_[rule].is_complete = true;
    for (size_t i = 0; i < rules_[rule].waiting.size(); ++i) see(rules_[rule].waiting[i]);
    if (rules_[rule].has_returned) return_from(rules_[rule].rule);
  }

  // `rule` completed for a caller that the walk did not come from, so every return state of `rule`
  // is seen. If the caller's rule is complete too, the return continues to its callers.
  void return_from(RuleId rule) {
    for (StateId state : program_.return_states(rule)) {
      see(state);
      const uint32_t caller = number_of(program_.rule_of(state));
      if (std::exchange(rules_[caller].has_returned, true)) continue;
      if (rules_[caller].is_complete) return_from(rules_[caller].rule);
    }
  }

  uint32_t number(StateId state) const {
    const auto known = number_.find(state.value);
    return known == number_.end() ? Beyond::kUnseen : known->second;
  }

  Beyond::RecordedState copy(StateId state) const {
    Beyond::RecordedState out;
    out.rule = number_of_rule_.at(program_.rule_of(state).value);
    out.is_accepting = program_.is_accepting(state);
    out.is_scannable = program_.is_scannable(state);
    out.was_read = read_.contains(state.value);
    if (out.was_read) {
      for (const TerminalEdge& edge : program_.terminals(state))
        out.terminals.push_back({edge.range, number(edge.to)});
    }
    for (const CallEdge& edge : program_.calls(state))
      out.calls.push_back({number_of_rule_.at(edge.rule.value), number(edge.to), edge.is_tail});
    if (program_.kind(state) == StateKind::kMember) {
      const std::span<const uint32_t> ended = program_.members_ended(state);
      out.ended.assign(ended.begin(), ended.end());
    }
    return out;
  }

  Beyond::RecordedRule copy(const MetRule& rule_met) const {
    const ProgramRule& rule = program_.rule(rule_met.rule);
    Beyond::RecordedRule out{number(rule.start()),
                             rule.is_nullable,
                             rule.repetition,
                             rule.any_order,
                             rule_met.is_complete && rule_met.has_returned,
                             {}};
    if (!out.has_returned) return out;
    for (StateId state : program_.return_states(rule_met.rule))
      out.returns.push_back(number(state));
    return out;
  }

  const Program& program_;
  std::unordered_map<uint32_t, BeyondSteps::Bytes> read_;  // by state
  std::vector<StateId> seen_;
  std::unordered_map<uint32_t, uint32_t> number_;
  std::vector<MetRule> rules_;
  std::unordered_map<uint32_t, uint32_t> number_of_rule_;
};

std::optional<Beyond> Beyond::of(const ColumnTable& table, RuleId rule, const BeyondSteps& steps) {
  return BeyondBuilder(table, rule, steps).build();
}

// ---- Comparing ----

// Edges are paired in the order in which the states hold them. If only another order would pair
// them, a match is missed, which costs a walk and never a wrong entry.
class BeyondMatcher {
 public:
  BeyondMatcher(const Beyond& beyond, const Program& program)
      : beyond_(beyond),
        program_(program),
        state_(beyond.states_.size(), Beyond::kUnseen),
        rule_(beyond.rules_.size(), Beyond::kUnseen) {}

  bool run(RuleId rule) {
    if (!pair_rules(0, rule)) return false;
    for (size_t i = 0; i < agenda_.size(); ++i) {
      if (!compare(agenda_[i])) return false;
    }
    return true;
  }

 private:
  // Pairs `number` with `other`. True if both were free, or were already paired with each other.
  static bool pair(std::vector<uint32_t>& map, std::unordered_map<uint32_t, uint32_t>& back,
                   uint32_t number, uint32_t other, bool* is_new) {
    *is_new = map[number] == Beyond::kUnseen;
    if (!*is_new) return map[number] == other;
    if (!back.emplace(other, number).second) return false;
    map[number] = other;
    return true;
  }

  // Compares the bounds only: the repeated child is paired as a called rule.
  static bool is_same(const std::optional<Repetition>& a, const std::optional<Repetition>& b) {
    return a.has_value() == b.has_value() && (!a || (a->min == b->min && a->max == b->max));
  }

  static bool is_same(const AnyOrderFacts* a, const AnyOrderFacts* b) {
    return (a == nullptr) == (b == nullptr) && (a == nullptr || a->bounds == b->bounds);
  }

  bool has_same_ends(const Beyond::RecordedState& seen, StateId state) const {
    if (program_.kind(state) != StateKind::kMember) return seen.ended.empty();
    return std::ranges::equal(seen.ended, program_.members_ended(state));
  }

  bool pair_states(uint32_t number, StateId other) {
    bool is_new = false;
    if (number == Beyond::kUnseen) return true;
    if (!pair(state_, state_back_, number, other.value, &is_new)) return false;
    if (is_new) agenda_.push_back(number);
    return true;
  }

  bool pair_rules(uint32_t number, RuleId other) {
    bool is_new = false;
    if (!pair(rule_, rule_back_, number, other.value, &is_new)) return false;
    if (!is_new) return true;
    const Beyond::RecordedRule& seen = beyond_.rules_[number];
    const ProgramRule& rule = program_.rule(other);
    if (seen.is_nullable != rule.is_nullable || !is_same(seen.repetition, rule.repetition) ||
        !is_same(seen.any_order.get(), rule.any_order.get()) ||
        !pair_states(seen.start, rule.start()))
      return false;
    if (!seen.has_returned) return true;
    // The walk left the rule for unknown callers, so all return states must agree, in their order.
    const std::span<const StateId> returns = program_.return_states(other);
    if (seen.returns.size() != returns.size()) return false;
    for (size_t i = 0; i < returns.size(); ++i) {
      if (!pair_states(seen.returns[i], returns[i])) return false;
    }
    return true;
  }

  bool compare(uint32_t number) {
    // Every fact that the walk used must hold of the paired state: whether it accepts and scans,
    // its calls, its members, its rule, and its terminal edges if the walk read them.
    const Beyond::RecordedState& seen = beyond_.states_[number];
    const StateId state(state_[number]);
    const auto terminals = program_.terminals(state);
    const auto calls = program_.calls(state);
    if (seen.is_accepting != program_.is_accepting(state) ||
        seen.is_scannable != program_.is_scannable(state) || seen.calls.size() != calls.size() ||
        !has_same_ends(seen, state) || !pair_rules(seen.rule, program_.rule_of(state))) {
      return false;
    }
    if (seen.was_read) {
      if (seen.terminals.size() != terminals.size()) return false;
      for (size_t i = 0; i < terminals.size(); ++i) {
        if (seen.terminals[i].range != terminals[i].range ||
            !pair_states(seen.terminals[i].to, terminals[i].to))
          return false;
      }
    }
    for (size_t i = 0; i < calls.size(); ++i) {
      // The state after a call is unseen if the called rule never completes in the walk. Only a
      // completion tells a tail call from another call.
      const bool may_complete = seen.calls[i].to != Beyond::kUnseen;
      if ((may_complete && seen.calls[i].is_tail != calls[i].is_tail) ||
          !pair_rules(seen.calls[i].rule, calls[i].rule) ||
          !pair_states(seen.calls[i].to, calls[i].to))
        return false;
    }
    return true;
  }

  const Beyond& beyond_;
  const Program& program_;
  std::vector<uint32_t> state_, rule_, agenda_;
  std::unordered_map<uint32_t, uint32_t> state_back_, rule_back_;
};

bool Beyond::matches(const Program& program, RuleId rule) const {
  return BeyondMatcher(*this, program).run(rule);
}

size_t Beyond::memory_size_bytes() const {
  size_t bytes = sizeof(Beyond) + states_.capacity() * sizeof(RecordedState);
  for (const RecordedState& state : states_) {
    bytes += state.terminals.capacity() * sizeof(RecordedTerminal) +
             state.calls.capacity() * sizeof(RecordedCall);
  }
  for (const RecordedRule& rule : rules_)
    bytes += sizeof(RecordedRule) + rule.returns.capacity() * 4;
  return bytes;
}

StructuralHash lookahead_hash(const Program& program, RuleId rule) {
  uint64_t hash = program.rule(rule).has_unique_context ? 1 : 0;
  for (StateId state : program.return_states(rule)) {
    hash = hash_combine(hash, program.is_accepting(state) ? 1 : 0);
    hash = hash_combine(hash, program.calls(state).size());
    for (const TerminalEdge& edge : program.terminals(state)) {
      hash = hash_combine(hash, (uint64_t{edge.range.lo} << 8) | edge.range.hi);
    }
  }
  return {hash};
}

}  // namespace xg2lab
