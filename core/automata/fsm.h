// Finite-state machines over bytes and rules: the builder's form and the frozen form.
//
// Twin:  xg2lab/reference/fsm.py
// Tests: tests/differential/test_engine_vs_twin.py, tests/core/test_program.py
//
// IDEA
//   One Fsm belongs to one rule. Its alphabet is bytes and rules: a terminal edge consumes one byte in
//   [lo, hi], a rule edge consumes one whole match of a rule, an epsilon edge consumes nothing. A
//   FrozenFsm has no epsilon edges; its edges are rows of two flat arrays.
//
//   Every edge says which source expressions it was made of (its origin set), so that a machine that was
//   determinized and minimized can still point at lines of the grammar.
//
// INVARIANTS (FrozenFsm)
//   I1  the start state is 0, and every state can be reached from it
//   I2  every state can reach an accepting state (so a live item is always a viable prefix)
//   I3  a state's terminal edges are sorted by (lo, hi, to); its rule edges by (rule, to)
//   I4  if `is_deterministic`, terminal edges of one state are disjoint and rules of one state differ
//
// THREADS   FrozenFsm is immutable. NOT HERE  what a rule is (grammar/), how machines are run (parse/).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "support/ids.h"

namespace xg2lab {

struct ByteRange {
  uint8_t lo = 0;
  uint8_t hi = 0;  // inclusive
  constexpr bool contains(uint8_t byte) const { return lo <= byte && byte <= hi; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

using OriginSetId = Id<struct OriginSetTag>;

// Sets of origins (opaque numbers, in practice ExprIds), interned so that an edge carries one integer.
// Singletons are by far the commonest, and cost no map entry of their own.
class OriginSets {
 public:
  OriginSetId none() const { return OriginSetId(0u); }
  OriginSetId single(uint32_t origin);
  OriginSetId unite(OriginSetId a, OriginSetId b);
  // Of many at once, and so without the sets between: a thousand keys that begin alike are one set.
  OriginSetId unite(std::vector<OriginSetId> all);
  size_t size() const { return sets_.size(); }
  std::span<const uint32_t> members(OriginSetId id) const { return sets_[id.index()]; }

 private:
  std::vector<std::vector<uint32_t>> sets_{{}};
  std::map<std::vector<uint32_t>, OriginSetId> known_;
  std::map<std::pair<uint32_t, uint32_t>, OriginSetId> unions_;
  std::vector<uint32_t> single_of_origin_;  // 0: not made yet
};

struct TerminalEdge {
  ByteRange range;
  StateId to;
  OriginSetId origins;
};

struct RuleEdge {
  RuleId rule;
  StateId to;
  OriginSetId origins;
};

// The builder's form: grows edge by edge, epsilon edges allowed.
class Fsm {
 public:
  struct State {
    std::vector<TerminalEdge> terminal_edges;
    std::vector<RuleEdge> rule_edges;
    std::vector<StateId> epsilon_edges;
    bool is_accepting = false;
  };

  StateId add_state();
  void add_terminal(StateId from, ByteRange range, StateId to, OriginSetId origins);
  void add_rule(StateId from, RuleId rule, StateId to, OriginSetId origins);
  void add_epsilon(StateId from, StateId to);
  void set_accepting(StateId state) { states_[state.index()].is_accepting = true; }

  size_t n_states() const { return states_.size(); }
  const State& state(StateId id) const { return states_[id.index()]; }

 private:
  std::vector<State> states_;
};

// The frozen form: what is lowered into a Program.
struct FrozenFsm {
  std::vector<TerminalEdge> terminal_edges;
  std::vector<uint32_t> terminal_begin;  // n_states + 1 entries
  std::vector<RuleEdge> rule_edges;
  std::vector<uint32_t> rule_begin;  // n_states + 1 entries
  std::vector<bool> is_accepting;
  bool is_deterministic = true;

  size_t n_states() const { return is_accepting.size(); }
  std::span<const TerminalEdge> terminals(StateId state) const;
  std::span<const RuleEdge> rules(StateId state) const;
  void check_invariants() const;
};

// Drops states that cannot reach an accepting state or be reached, joins neighbouring byte ranges with the
// same target, renumbers breadth-first from the start (state 0 of `fsm`), and sorts edges. Epsilon edges
// must be gone. O(edges log edges).
FrozenFsm freeze(const Fsm& fsm, OriginSets& origins);

}  // namespace xg2lab
