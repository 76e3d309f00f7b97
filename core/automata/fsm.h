// Finite-state machines over bytes and rules: the builder's form and the frozen form.
//
// Twin:  xg2lab/reference/fsm.py
// Tests: tests/differential/test_engine_vs_twin.py, tests/core/test_program.py
//
// IDEA
//   One Fsm belongs to one rule. Its alphabet is bytes and rules: a terminal edge consumes one byte
//   in [lo, hi], a rule edge consumes one whole match of a rule, an epsilon edge consumes nothing.
//   A FrozenFsm has no epsilon edges; its edges are rows of two flat arrays.
//
//   Every edge records the source expressions that it was made from (its origin set), so that a
//   determinized and minimized machine can still point at places in the grammar.
//
// INVARIANTS (FrozenFsm)
//   I1  the start state is 0, and every state can be reached from it
//   I2  every state can reach an accepting state (so a live item is always a viable prefix)
//   I3  a state's terminal edges are sorted by (lo, hi, to); its rule edges by (rule, to)
//   I4  if `is_deterministic`, terminal edges of one state are disjoint and rules of one state
//       differ
//
// THREADS   FrozenFsm is immutable. NOT HERE  what a rule is (grammar/), how machines are run
//           (parse/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "support/ids.h"
#include "support/interned_rows.h"

namespace xg2lab {

struct ByteRange {
  uint8_t lo = 0;
  uint8_t hi = 0;  // inclusive
  constexpr bool contains(uint8_t byte) const { return lo <= byte && byte <= hi; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

using OriginSetId = Id<struct OriginSetTag>;

// Sets of origins (opaque numbers, in practice ExprIds), interned so that an edge carries one
// integer.
class OriginSets {
 public:
  OriginSets() {
    std::vector<uint32_t> nothing;
    of(nothing);
  }
  OriginSetId none() const { return OriginSetId(0u); }
  OriginSetId single(uint32_t origin);
  OriginSetId unite(OriginSetId a, OriginSetId b);
  // The union of many sets, made without intermediate sets: a thousand keys with a common prefix
  // need one set. Sorts `all`.
  OriginSetId unite(std::vector<OriginSetId>& all);
  // The set of these origins; sorts them.
  OriginSetId of(std::vector<uint32_t>& origins);
  size_t size() const { return sets_.size(); }
  // Ascending. Valid until the next set is made.
  std::span<const uint32_t> members(OriginSetId id) const {
    const Set& set = sets_[id.index()];
    return set.is_single ? std::span(&set.value, 1) : rows_[set.value];
  }

 private:
  // Most sets have one origin and are found by it; only larger sets are looked up by content.
  struct Set {
    uint32_t value;  // the origin, or a row of rows_
    bool is_single;
  };
  std::vector<Set> sets_;
  InternedRows rows_;
  std::vector<OriginSetId> of_row_;
  InternedRows pairs_;                      // pairs of sets whose union is known
  std::vector<OriginSetId> of_pair_;        // the union, by row of pairs_
  std::vector<uint32_t> single_of_origin_;  // index: origin; 0: not made yet
  std::vector<uint32_t> members_;
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

// The builder's form: grows edge by edge, with epsilon edges. The edges of all states share one
// array for each kind of edge and form a linked list for each state, so adding an edge needs no
// allocation of its own.
class Fsm {
  template <class Edge>
  struct Link {
    Edge edge;
    uint32_t next;
  };

 public:
  // The edges of one state, in order of insertion. Valid until the next edge is added.
  template <class Edge>
  class Edges {
   public:
    class iterator {
     public:
      using iterator_category = std::forward_iterator_tag;
      using value_type = Edge;
      using difference_type = std::ptrdiff_t;
      using pointer = const Edge*;
      using reference = const Edge&;
      iterator() = default;
      iterator(const Link<Edge>* links, uint32_t at) : links_(links), at_(at) {}
      reference operator*() const { return links_[at_].edge; }
      pointer operator->() const { return &links_[at_].edge; }
      iterator& operator++() {
        at_ = links_[at_].next;
        return *this;
      }
      iterator operator++(int) {
        const iterator before = *this;
        ++*this;
        return before;
      }
      friend bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }

     private:
      const Link<Edge>* links_ = nullptr;
      uint32_t at_ = kNone;
    };

    Edges(const Link<Edge>* links, uint32_t first) : links_(links), first_(first) {}
    iterator begin() const { return {links_, first_}; }
    iterator end() const { return {links_, kNone}; }
    bool empty() const { return first_ == kNone; }

   private:
    const Link<Edge>* links_;
    uint32_t first_;
  };

  struct State {
    Edges<TerminalEdge> terminal_edges;
    Edges<RuleEdge> rule_edges;
    Edges<StateId> epsilon_edges;
    bool is_accepting;
    bool is_joined;
  };

  StateId add_state() {
    states_.emplace_back();
    return StateId(states_.size() - 1);
  }
  void add_terminal(StateId from, ByteRange range, StateId to, OriginSetId origins) {
    append(terminals_, states_[from.index()].terminals, {range, to, origins});
  }
  void add_rule(StateId from, RuleId rule, StateId to, OriginSetId origins) {
    append(rules_, states_[from.index()].rules, {rule, to, origins});
  }
  void add_epsilon(StateId from, StateId to) {
    if (from != to) append(epsilons_, states_[from.index()].epsilons, to);
  }
  void set_accepting(StateId state) { states_[state.index()].is_accepting = true; }
  // Marks a state that stands for several states at once. In a set with other states, the states
  // that it stands for could not be distinguished, so determinize() refuses such a set.
  void set_joined(StateId state) { states_[state.index()].is_joined = true; }

  size_t n_states() const { return states_.size(); }
  size_t n_terminals() const { return terminals_.size(); }
  size_t n_rules() const { return rules_.size(); }
  State state(StateId id) const {
    const Row& row = states_[id.index()];
    return {{terminals_.data(), row.terminals.first},
            {rules_.data(), row.rules.first},
            {epsilons_.data(), row.epsilons.first},
            row.is_accepting,
            row.is_joined};
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Ends {
    uint32_t first = kNone;
    uint32_t last = kNone;
  };
  struct Row {
    Ends terminals, rules, epsilons;
    bool is_accepting = false;
    bool is_joined = false;
  };

  template <class Edge>
  static void append(std::vector<Link<Edge>>& links, Ends& ends, const Edge& edge) {
    const auto at = static_cast<uint32_t>(links.size());
    links.push_back({edge, kNone});
    (ends.first == kNone ? ends.first : links[ends.last].next) = at;
    ends.last = at;
  }

  std::vector<Row> states_;
  std::vector<Link<TerminalEdge>> terminals_;
  std::vector<Link<RuleEdge>> rules_;
  std::vector<Link<StateId>> epsilons_;
};

// The edges of one state, from an array of the edges of all states; `begin` has an entry for each
// state and one for the end.
template <class Edge>
std::span<const Edge> row_of(const std::vector<Edge>& edges, const std::vector<uint32_t>& begin,
                             StateId state) {
  const uint32_t first = begin[state.index()];
  return {edges.data() + first, begin[state.index() + 1] - first};
}

// The frozen form: what is lowered into a Program.
struct FrozenFsm {
  std::vector<TerminalEdge> terminal_edges;
  std::vector<uint32_t> terminal_begin;  // n_states + 1 entries
  std::vector<RuleEdge> rule_edges;
  std::vector<uint32_t> rule_begin;  // n_states + 1 entries
  std::vector<bool> is_accepting;
  bool is_deterministic = true;

  // Edges added from here on belong to the next state. Called once more after the last state.
  void begin_state() {
    terminal_begin.push_back(static_cast<uint32_t>(terminal_edges.size()));
    rule_begin.push_back(static_cast<uint32_t>(rule_edges.size()));
  }
  size_t n_states() const { return is_accepting.size(); }
  std::span<const TerminalEdge> terminals(StateId state) const {
    return row_of(terminal_edges, terminal_begin, state);
  }
  std::span<const RuleEdge> rules(StateId state) const {
    return row_of(rule_edges, rule_begin, state);
  }
  void check_invariants() const;
};

// Drops states that are unreachable or can't reach an accepting state, joins neighbouring byte
// ranges with the same target, renumbers breadth-first from the start (state 0 of `fsm`), and sorts
// edges. `fsm` must have no epsilon edges. O(edges log edges).
FrozenFsm freeze(const Fsm& fsm, OriginSets& origins);

}  // namespace xg2lab
