// Read: Trie (nodes and their subtrees), WordMachine (the states are trie nodes and states of
// rests, visited breadth-first), concatenated.
#include "lower/member_trie.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "support/interned_rows.h"

namespace xg2lab {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

// Nodes are numbered by depth, siblings contiguously; 0 is the root.
class Trie {
 public:
  struct Node {
    uint8_t byte = 0;          // on the edge into the node
    uint32_t first_child = 0;  // children are [first_child, end_child)
    uint32_t end_child = 0;
    uint32_t member = kNone;  // the member whose text ends there
    uint32_t begin = 0;       // first of the members below, in by_text()
    uint32_t end = 0;
    OriginSetId origins;  // of the edge into the node
  };

  Trie(std::span<const WordMember> members, OriginSets& origins) : by_text_(members.size()) {
    std::iota(by_text_.begin(), by_text_.end(), 0u);
    std::sort(by_text_.begin(), by_text_.end(),
              [&](uint32_t a, uint32_t b) { return members[a].text < members[b].text; });
    nodes_.push_back({});
    nodes_.front().end = static_cast<uint32_t>(members.size());
    std::vector<OriginSetId> all;
    size_t depth = 0;
    for (size_t level = 0, end = 1; level < end; ++depth, level = std::exchange(end, nodes_.size()))
      for (size_t i = level; i < end; ++i) add_children(i, depth, members, origins, all);
  }

  // Whether two members have the same text.
  bool has_twins() const { return has_twins_; }
  const Node& operator[](uint32_t node) const { return nodes_[node]; }
  size_t size() const { return nodes_.size(); }
  std::span<const uint32_t> members_below(const Node& node) const {
    return {by_text_.data() + node.begin, node.end - node.begin};
  }

 private:
  // The members of a node are a range of by_text_, which its children partition by their next byte.
  // The member whose text ends at the node comes first, and at most one does.
  void add_children(size_t parent, size_t depth, std::span<const WordMember> members,
                    OriginSets& origins, std::vector<OriginSetId>& all) {
    uint32_t at = nodes_[parent].begin;
    const uint32_t end = nodes_[parent].end;
    if (members[by_text_[at]].text.size() == depth) nodes_[parent].member = by_text_[at++];
    has_twins_ = has_twins_ || (at < end && members[by_text_[at]].text.size() == depth);
    if (has_twins_) return;
    nodes_[parent].first_child = static_cast<uint32_t>(nodes_.size());
    while (at < end) {
      Node node;
      node.byte = static_cast<uint8_t>(members[by_text_[at]].text[depth]);
      node.begin = at;
      all.clear();
      for (; at < end && static_cast<uint8_t>(members[by_text_[at]].text[depth]) == node.byte; ++at)
        all.push_back(members[by_text_[at]].origins);
      node.end = at;
      // The only child of a node has the same members and so the same origins.
      const bool is_as_parent = node.end - node.begin == nodes_[parent].end - nodes_[parent].begin;
      node.origins = is_as_parent && parent > 0 ? nodes_[parent].origins : origins.unite(all);
      nodes_.push_back(node);
    }
    nodes_[parent].end_child = static_cast<uint32_t>(nodes_.size());
  }

  std::vector<uint32_t> by_text_;
  std::vector<Node> nodes_;
  bool has_twins_ = false;
};

class WordMachine {
 public:
  WordMachine(std::span<const WordMember> members, OriginSets& origins, size_t max_states)
      : members_(members),
        origins_(origins),
        max_states_(max_states),
        trie_(members, origins),
        beside_(trie_.size()),
        number_of_node_(trie_.size(), kNone) {
    first_of_rest_.reserve(members.size());
    size_t n_in_rests = 0;
    size_t n_edges = trie_.size();
    size_t n_calls = 0;
    for (const WordMember& member : members) {
      first_of_rest_.push_back(static_cast<uint32_t>(n_in_rests));
      const FrozenFsm& rest = *member.rest.fsm;
      n_in_rests += rest.n_states();
      n_edges += rest.terminal_edges.size();
      n_calls += rest.rule_edges.size();
    }
    number_in_rest_.assign(n_in_rests, kNone);
    const size_t n_states = std::min(n_in_rests + trie_.size(), max_states) + 1;
    FrozenFsm& fsm = machine_.fsm;
    for (auto* begins : {&fsm.terminal_begin, &fsm.rule_begin}) begins->reserve(n_states);
    fsm.terminal_edges.reserve(n_edges);
    fsm.rule_edges.reserve(n_calls);
    fsm.is_accepting.reserve(n_states);
    machine_.ends.reserve(n_states);
    order_.reserve(n_states);
  }

  std::optional<MemberMachine> make() {
    if (trie_.has_twins()) return std::nullopt;
    enter(0, {});
    visit_node(0);
    for (size_t i = 0; i < order_.size() && is_possible_; ++i) {
      if (order_.size() > max_states_) return std::nullopt;
      machine_.fsm.begin_state();
      const MachineState state = order_[i];
      if (state.node == kNone) write_rest(state.rest);
      else write_node(state.node);
    }
    machine_.fsm.begin_state();
    if (!is_possible_) return std::nullopt;
    machine_.fsm.is_deterministic = true;
    find_reach();
    return std::move(machine_);
  }

 private:
  // A state of one member's rest.
  struct RestState {
    uint32_t member = kNone;
    uint32_t state = 0;
  };
  // A state of the machine: a trie node (with the state of the rest read beside it in beside_, if
  // any), or a state of a rest alone.
  struct MachineState {
    uint32_t node;
    RestState rest;
  };

  const FrozenFsm& rest(uint32_t member) const { return *members_[member].rest.fsm; }

  StateId visit_node(uint32_t node) {
    uint32_t& number = number_of_node_[node];
    if (number == kNone) {
      number = static_cast<uint32_t>(order_.size());
      order_.push_back({node, {}});
    }
    return StateId(number);
  }

  StateId visit_rest(RestState state) {
    uint32_t& number = number_in_rest_[first_of_rest_[state.member] + state.state];
    if (number == kNone) {
      number = static_cast<uint32_t>(order_.size());
      order_.push_back({kNone, state});
    }
    return StateId(number);
  }

  // Reaches a node, with the rest that is read beside it, if any. A text must not end where another
  // rest is being read: the pair would need both rests.
  void enter(uint32_t node, RestState beside) {
    const uint32_t member = trie_[node].member;
    if (member != kNone && beside.member != kNone) is_possible_ = false;
    beside_[node] = member == kNone ? beside : RestState{member, 0};
  }

  // The target of an edge into a node. If a text ends in a leaf, the target is the start of its
  // rest.
  StateId into(uint32_t child, RestState beside) {
    enter(child, beside);
    const Trie::Node& node = trie_[child];
    const bool is_leaf = node.first_child == node.end_child;
    return is_leaf ? visit_rest({node.member, 0}) : visit_node(child);
  }

  void write_state(RestState state) {
    const bool is_end = state.member != kNone && rest(state.member).is_accepting[state.state];
    machine_.fsm.is_accepting.push_back(is_end);
    std::vector<uint32_t>& ends = machine_.ends.emplace_back();
    if (is_end) ends.push_back(state.member);
  }

  void write_rest(RestState state) {
    write_state(state);
    const FrozenFsm& fsm = rest(state.member);
    uint32_t* const numbers = number_in_rest_.data() + first_of_rest_[state.member];
    const SharedMachine& shared = members_[state.member].rest;
    for (TerminalEdge edge : fsm.terminals(StateId(state.state))) {
      edge = shared.at_hand(edge);
      const uint32_t known = numbers[edge.to.index()];
      edge.to = known == kNone ? visit_rest({state.member, edge.to.value}) : StateId(known);
      machine_.fsm.terminal_edges.push_back(edge);
    }
    write_calls(state);
  }

  void write_calls(RestState state) {
    for (RuleEdge edge : rest(state.member).rules(StateId(state.state))) {
      edge = members_[state.member].rest.at_hand(edge);
      edge.to = visit_rest({state.member, edge.to.value});
      machine_.fsm.rule_edges.push_back(edge);
    }
  }

  // The edges of the rest beside the node, without the bytes that a child of the node reads.
  void write_node(uint32_t node) {
    const RestState beside = beside_[node];
    write_state(beside);
    uint32_t child = trie_[node].first_child;
    const uint32_t end = trie_[node].end_child;
    if (beside.member != kNone) {
      const SharedMachine& shared = members_[beside.member].rest;
      for (TerminalEdge edge : shared.fsm->terminals(StateId(beside.state))) {
        edge = shared.at_hand(edge);
        const RestState after{beside.member, edge.to.value};
        for (; child < end && trie_[child].byte < edge.range.lo; ++child) write_child(child);
        int lo = edge.range.lo;
        for (; child < end && trie_[child].byte <= edge.range.hi; ++child) {
          const uint8_t byte = trie_[child].byte;
          if (lo < byte) write_piece(lo, byte - 1, after, edge.origins);
          write_edge({{byte, byte},
                      into(child, after),
                      origins_.unite(trie_[child].origins, edge.origins)});
          lo = byte + 1;
        }
        if (lo <= edge.range.hi) write_piece(lo, edge.range.hi, after, edge.origins);
      }
    }
    for (; child < end; ++child) write_child(child);
    if (beside.member != kNone) write_calls(beside);
  }

  void write_child(uint32_t child) {
    const uint8_t byte = trie_[child].byte;
    write_edge({{byte, byte}, into(child, {}), trie_[child].origins});
  }
  void write_piece(int lo, int hi, RestState after, OriginSetId origins) {
    const ByteRange range{static_cast<uint8_t>(lo), static_cast<uint8_t>(hi)};
    write_edge({range, visit_rest(after), origins});
  }
  void write_edge(const TerminalEdge& edge) { machine_.fsm.terminal_edges.push_back(edge); }

  // The reachable members: for a state of a rest, its member; for a node, the members below it and
  // the one beside it. A node whose only child reaches the same members shares the child's set.
  void find_reach() {
    InternedRows known;
    known.add({});
    machine_.reach_sets.assign(1, {});
    std::vector<uint32_t> of_member(members_.size(), kNone);
    std::vector<uint32_t> of_node(trie_.size(), kNone);
    machine_.reach.resize(order_.size());
    std::vector<uint32_t> ordered;
    const auto set_of = [&](std::span<const uint32_t> members, uint32_t one_more) {
      ordered.assign(members.begin(), members.end());
      if (one_more != kNone) ordered.push_back(one_more);
      if (!std::is_sorted(ordered.begin(), ordered.end()))  // rare: members are ordered by text
        std::sort(ordered.begin(), ordered.end());
      words_.clear();  // begin and end of each range
      for (const uint32_t member : ordered) {
        if (!words_.empty() && words_.back() == member) ++words_.back();
        else words_.insert(words_.end(), {member, member + 1});
      }
      const auto [id, is_new] = known.add(words_);
      if (!is_new) return id;
      MemberRanges& ranges = machine_.reach_sets.emplace_back();
      for (size_t i = 0; i < words_.size(); i += 2) ranges.push_back({words_[i], words_[i + 1]});
      return id;
    };
    for (size_t i = order_.size(); i-- > 0;) {
      const MachineState state = order_[i];
      if (state.node == kNone) {
        uint32_t& id = of_member[state.rest.member];
        if (id == kNone) id = set_of({}, state.rest.member);
        machine_.reach[i] = id;
        continue;
      }
      const Trie::Node& node = trie_[state.node];
      const uint32_t beside = beside_[state.node].member;
      const uint32_t child = node.first_child;
      const bool is_as_child = child + 1 == node.end_child && node.member == kNone &&
                               of_node[child] != kNone && beside_[child].member == beside;
      uint32_t& id = of_node[state.node];
      id = is_as_child ? of_node[child]
                       : set_of(trie_.members_below(node), node.member == kNone ? beside : kNone);
      machine_.reach[i] = id;
    }
  }

  const std::span<const WordMember> members_;
  OriginSets& origins_;
  const size_t max_states_;
  const Trie trie_;
  bool is_possible_ = true;
  std::vector<RestState> beside_;         // by node, set once the node is reached
  std::vector<uint32_t> number_of_node_;  // index: node; the state of the machine
  std::vector<uint32_t> first_of_rest_;   // index: member; its first index in number_in_rest_
  std::vector<uint32_t> number_in_rest_;
  std::vector<MachineState> order_;  // index: state of the machine
  MemberMachine machine_;
  std::vector<uint32_t> words_;
};

}  // namespace

std::optional<MemberMachine> machine_of_words(std::span<const WordMember> members,
                                              OriginSets& origins, size_t max_states) {
  return WordMachine(members, origins, max_states).make();
}

std::optional<FrozenFsm> concatenated(const FrozenFsm& first, OriginSetId of_first,
                                      const SharedMachine& shared) {
  const FrozenFsm& second = *shared.fsm;
  const StateId start(0u);
  // An accepting state of `first` gets the edges of the second machine's start. So that start must
  // read bytes only.
  if (second.is_accepting[0] || !second.rules(start).empty()) return std::nullopt;
  const std::span<const TerminalEdge> entries = second.terminals(start);
  const auto n_first = static_cast<uint32_t>(first.n_states());
  const size_t n_states = n_first + second.n_states();
  const auto n_ends =
      static_cast<size_t>(std::count(first.is_accepting.begin(), first.is_accepting.end(), true));
  FrozenFsm both;
  std::vector<TerminalEdge>& edges = both.terminal_edges;
  edges.reserve(first.terminal_edges.size() + n_ends * entries.size() +
                second.terminal_edges.size());
  both.rule_edges.reserve(second.rule_edges.size());
  for (auto* begins : {&both.terminal_begin, &both.rule_begin}) begins->reserve(n_states + 1);
  const auto behind = [&](auto edge) {
    edge = shared.at_hand(edge);
    edge.to = StateId(edge.to.value + n_first);
    return edge;
  };
  for (size_t s = 0; s < n_first; ++s) {
    both.begin_state();
    const size_t begin = edges.size();
    auto entry = first.is_accepting[s] ? entries.begin() : entries.end();
    for (const TerminalEdge& edge : first.terminals(StateId(s))) {
      for (; entry != entries.end() && entry->range.lo < edge.range.lo; ++entry)
        edges.push_back(behind(*entry));
      edges.push_back({edge.range, edge.to, of_first});
    }
    if (!first.is_accepting[s]) continue;
    for (; entry != entries.end(); ++entry) edges.push_back(behind(*entry));
    // Overlapping ranges mean that a byte could belong to either machine.
    for (size_t i = begin + 1; i < edges.size(); ++i) {
      if (edges[i - 1].range.hi >= edges[i].range.lo) return std::nullopt;
    }
  }
  for (size_t s = 0; s < second.n_states(); ++s) {
    both.begin_state();
    for (const TerminalEdge& edge : second.terminals(StateId(s))) edges.push_back(behind(edge));
    for (const RuleEdge& edge : second.rules(StateId(s))) both.rule_edges.push_back(behind(edge));
  }
  both.begin_state();
  both.is_accepting.assign(n_first, false);
  both.is_accepting.insert(both.is_accepting.end(), second.is_accepting.begin(),
                           second.is_accepting.end());
  return both;
}

}  // namespace xg2lab
