// Read: SuffixAutomaton::add (Blumer's online construction), then substring_machine.
#include "automata/substrings.h"

#include <string>
#include <unordered_map>
#include <vector>

#include "automata/minimize.h"

namespace xg2lab {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

class SuffixAutomaton {
 public:
  struct State {
    std::unordered_map<uint32_t, uint32_t> next;  // chunk -> state
    uint32_t link = kNone;  // suffix link: the state of the longest suffix with more end positions
    uint32_t length = 0;    // chunks in the longest sequence of this state
    uint32_t by = kNone;    // the chunk on all edges into it
  };

  SuffixAutomaton() : states_(1) {}
  const std::vector<State>& states() const { return states_; }

  // Blumer's step: adds the state of the whole list so far, and edges to it from all suffixes that
  // had no edge on the chunk. If such an edge leads to a state whose longest sequence is too long
  // to be a suffix, that state is cloned with the shorter length, and the shorter suffixes are
  // redirected to the clone.
  void add(uint32_t chunk) {
    const uint32_t made = new_state(chunk, states_[last_].length + 1);
    uint32_t at = last_;
    last_ = made;
    for (; at != kNone && states_[at].next.count(chunk) == 0; at = states_[at].link) {
      states_[at].next[chunk] = made;
    }
    if (at == kNone) {
      states_[made].link = 0;
      return;
    }
    const uint32_t other = states_[at].next.at(chunk);
    if (states_[other].length == states_[at].length + 1) {
      states_[made].link = other;
      return;
    }
    const uint32_t clone = new_state(chunk, states_[at].length + 1);
    states_[clone].next = states_[other].next;
    states_[clone].link = states_[other].link;
    states_[other].link = states_[made].link = clone;
    for (; at != kNone; at = states_[at].link) {
      const auto found = states_[at].next.find(chunk);
      if (found == states_[at].next.end() || found->second != other) break;
      found->second = clone;
    }
  }

 private:
  uint32_t new_state(uint32_t chunk, uint32_t length) {
    State state;
    state.by = chunk;
    state.length = length;
    states_.push_back(std::move(state));
    return static_cast<uint32_t>(states_.size() - 1);
  }

  std::vector<State> states_;
  uint32_t last_ = 0;
};

}  // namespace

FrozenFsm substring_machine(std::span<const std::string_view> chunks) {
  SuffixAutomaton automaton;
  std::unordered_map<std::string_view, uint32_t> numbers;
  std::vector<std::string_view> text_of;
  for (std::string_view chunk : chunks) {
    if (chunk.empty()) continue;
    const auto [number, is_new] = numbers.emplace(chunk, static_cast<uint32_t>(text_of.size()));
    if (is_new) text_of.push_back(chunk);
    automaton.add(number->second);
  }
  // State i of the suffix automaton is entered through its chunk's bytes, a chain of states whose
  // last one is state i.
  const auto& states = automaton.states();
  Fsm fsm;
  std::vector<StateId> self(states.size());
  std::vector<StateId> first(states.size());  // the state after the chunk's first byte
  for (size_t i = 0; i < states.size(); ++i) {
    self[i] = first[i] = fsm.add_state();
    fsm.set_accepting(self[i]);
    if (states[i].by == kNone) continue;
    const std::string_view text = text_of[states[i].by];
    for (size_t k = text.size(); k-- > 1;) {
      const auto byte = static_cast<uint8_t>(text[k]);
      const StateId before = fsm.add_state();
      fsm.add_terminal(before, {byte, byte}, first[i], {});
      first[i] = before;
    }
  }
  for (size_t i = 0; i < states.size(); ++i) {
    for (const auto& [chunk, to] : states[i].next) {
      const auto byte = static_cast<uint8_t>(text_of[chunk][0]);
      fsm.add_terminal(self[i], {byte, byte}, first[to], {});
    }
  }
  // Chunks may share prefixes, so the machine of chunks is nondeterministic over bytes.
  OriginSets origins;
  return *reduced(fsm, origins, Reduction::kDeterministic, {4 * fsm.n_states() + 1000});
}

}  // namespace xg2lab
