// Read: Builder::build, which visits states in the order of discovery and writes their edges in
// byte order.
// The trick: the bytes valid in UTF-8 and the automaton's row are both sorted, so one sweep over
// the two writes a state's edges, disjoint and in order.
#include "dispatch/dispatch_machine.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "automata/utf8_states.h"
#include "dispatch/aho_corasick.h"

namespace xg2lab {
namespace {

enum class Watched : uint8_t { kTag, kStop, kExclude };

struct Pattern {
  Watched what;
  size_t index;  // among those of its kind
};

class Builder {
 public:
  explicit Builder(const WatchedTexts& texts)
      : texts_(texts), patterns_(all_patterns()), automaton_(all_) {
    machine_.facts.texts.assign(all_.begin(), all_.end());
    machine_.facts.n_tags = texts.tags.size();
    machine_.facts.n_stop_texts = texts.stop_texts.size();
  }

  DispatchMachine run() {
    build();
    const std::vector<bool> alive = find_alive();
    if (!alive[0]) return nothing();
    for (size_t i = 0; i < alive.size(); ++i) {
      if (!alive[i]) dead_.insert(key(order_[i]));
    }
    if (!dead_.empty()) build();  // built again, without dead states
    return std::move(machine_);
  }

 private:
  // A state of the machine, as it is found: free text, a call after a tag, or the end.
  struct ProductState {
    enum Kind : uint8_t { kText, kFired, kEnd };
    Kind kind;
    uint32_t state;  // of the automaton; kFired: index of the tag
    Utf8State utf8;  // within a code point
  };

  void build() {
    number_.clear();
    number_of_text_.assign(automaton_.n_states(), kUnnumbered);
    number_of_other_.fill(kUnnumbered);
    order_.clear();
    fsm_ = FrozenFsm();
    machine_.facts.positions.clear();
    fsm_.terminal_edges.reserve(automaton_.n_states() *
                                12);  // nine lead ranges, and a byte or two of the automaton's row
    visit({ProductState::kText, automaton_.root().value, kBetweenCodePoints});
    for (size_t i = 0; i < order_.size(); ++i) {
      const ProductState state = order_[i];
      begin_state(state);
      if (state.kind == ProductState::kText) add_text_edges(state);
      if (state.kind == ProductState::kFired) add_call(state.state);
    }
    fsm_.terminal_begin.push_back(static_cast<uint32_t>(fsm_.terminal_edges.size()));
    fsm_.rule_begin.push_back(static_cast<uint32_t>(fsm_.rule_edges.size()));
  }

  std::vector<Pattern> all_patterns() {
    std::vector<Pattern> patterns;
    const auto add = [&](const std::vector<std::string_view>& texts, Watched what) {
      for (size_t i = 0; i < texts.size(); ++i) patterns.push_back({what, i});
      all_.insert(all_.end(), texts.begin(), texts.end());
    };
    add(texts_.tags, Watched::kTag);
    add(texts_.stop_texts, Watched::kStop);
    add(texts_.excludes, Watched::kExclude);
    return patterns;
  }

  // A machine that completes nothing: a start without edges.
  DispatchMachine nothing() {
    fsm_ = FrozenFsm();
    fsm_.terminal_begin = fsm_.rule_begin = {0, 0};
    fsm_.is_accepting = {false};
    machine_.facts.positions = {DispatchPosition{Mode::kDispatching}};
    return std::move(machine_);
  }

  static uint64_t key(ProductState state) {
    return (uint64_t{state.state} << 8) | (uint64_t{state.utf8} << 2) | state.kind;
  }

  // Most states are between code points, or within one at the automaton's root; two tables hold
  // their numbers.
  uint32_t& number_of(ProductState state) {
    const bool is_text = state.kind == ProductState::kText;
    if (is_text && state.utf8 == kBetweenCodePoints) return number_of_text_[state.state];
    if (is_text && state.state == automaton_.root().value) return number_of_other_[state.utf8];
    return number_.try_emplace(key(state), kUnnumbered).first->second;
  }

  // Nothing if the state is dead.
  std::optional<StateId> visit(ProductState state) {
    if (!dead_.empty() && dead_.count(key(state)) > 0) return std::nullopt;
    uint32_t& number = number_of(state);
    if (number == kUnnumbered) {
      number = static_cast<uint32_t>(order_.size());
      order_.push_back(state);
    }
    return StateId(number);
  }

  // The state after a byte of free text; nothing if that byte completes an exclude.
  std::optional<StateId> after(StateId state, Utf8State utf8) {
    const auto match = automaton_.match(state);
    if (!match) return visit({ProductState::kText, state.value, utf8});
    const Pattern pattern = patterns_[*match];
    switch (pattern.what) {
      case Watched::kTag:
        return visit({ProductState::kFired, static_cast<uint32_t>(pattern.index), 0});
      case Watched::kStop: return visit({ProductState::kEnd, 0, 0});
      case Watched::kExclude: break;
    }
    return std::nullopt;
  }

  void begin_state(ProductState state) {
    fsm_.terminal_begin.push_back(static_cast<uint32_t>(fsm_.terminal_edges.size()));
    fsm_.rule_begin.push_back(static_cast<uint32_t>(fsm_.rule_edges.size()));
    const bool is_text_end =
        state.kind == ProductState::kText && state.utf8 == kBetweenCodePoints && texts_.stop_eos;
    fsm_.is_accepting.push_back(state.kind == ProductState::kEnd || is_text_end);
    machine_.facts.positions.push_back(described(state));
  }

  void add_text_edges(ProductState from) {
    const auto steps = automaton_.steps(StateId(from.state));
    size_t next_step = 0;
    for (const Utf8Edge& edge : utf8_edges(from.utf8)) {
      int lo = edge.range.lo;
      for (; next_step < steps.size() && steps[next_step].byte <= edge.range.hi; ++next_step) {
        const auto [byte, to] = steps[next_step];
        if (byte < lo) continue;  // within a code point, only continuation bytes are valid
        add_edge(lo, byte - 1, automaton_.root(), edge.next);
        add_edge(byte, byte, to, edge.next);
        lo = byte + 1;
      }
      add_edge(lo, edge.range.hi, automaton_.root(), edge.next);
    }
  }

  void add_edge(int lo, int hi, StateId to, Utf8State utf8) {
    if (lo > hi) return;
    const auto target = after(to, utf8);
    if (!target) return;
    fsm_.terminal_edges.push_back(
        {{static_cast<uint8_t>(lo), static_cast<uint8_t>(hi)}, *target, origin_of(to)});
  }

  void add_call(uint32_t tag) {
    const auto to = texts_.loop_after_dispatch
                        ? visit({ProductState::kText, automaton_.root().value, kBetweenCodePoints})
                        : visit({ProductState::kEnd, 0, 0});
    if (to) fsm_.rule_edges.push_back({RuleId(tag), *to, DispatchMachine::of_tag(tag)});
  }

  // An edge on the path to one tag alone has that tag as its origin.
  OriginSetId origin_of(StateId to) const {
    if (to == automaton_.root() || !automaton_.is_alone(to)) return DispatchMachine::kOfText;
    const Pattern pattern = patterns_[automaton_.pattern(to)];
    if (pattern.what != Watched::kTag) return DispatchMachine::kOfText;
    return DispatchMachine::of_tag(pattern.index);
  }

  DispatchPosition described(ProductState state) const {
    DispatchPosition described;
    if (state.kind == ProductState::kEnd) return described;
    if (state.kind == ProductState::kFired) {
      const auto n_bytes = static_cast<uint32_t>(texts_.tags[state.state].size());
      return {Mode::kDispatched, state.state, n_bytes, n_bytes};  // tags come first among the texts
    }
    described.mode = Mode::kDispatching;
    const StateId watching(state.state);
    if (watching == automaton_.root()) return described;
    described.text = static_cast<uint32_t>(automaton_.pattern(watching));
    described.n_read = automaton_.depth(watching);
    described.n_common = automaton_.common_depth(watching);
    return described;
  }

  // Excludes may leave states from which the dispatch can't end, such as one within a code point
  // all of whose completions are excluded.
  std::vector<bool> find_alive() const {
    std::vector<bool> alive = fsm_.is_accepting;
    const auto lives = [&](const auto& edge) { return alive[edge.to.index()]; };
    for (bool grows = true; grows;) {
      grows = false;
      for (size_t s = alive.size(); s-- > 0;) {  // backwards: most states are decided in one round
        if (alive[s]) continue;
        const auto bytes = fsm_.terminals(StateId(s));
        const auto calls = fsm_.rules(StateId(s));
        alive[s] = std::any_of(bytes.begin(), bytes.end(), lives) ||
                   std::any_of(calls.begin(), calls.end(), lives);
        grows = grows || alive[s];
      }
    }
    return alive;
  }

  const WatchedTexts& texts_;
  std::vector<std::string_view> all_;
  const std::vector<Pattern> patterns_;
  const AhoCorasick automaton_;
  static constexpr uint32_t kUnnumbered = UINT32_MAX;
  std::vector<uint32_t> number_of_text_;       // between code points; index: automaton state
  std::array<uint32_t, 8> number_of_other_{};  // at the root, within a code point; index: Utf8State
  std::unordered_map<uint64_t, uint32_t> number_;  // all others
  std::unordered_set<uint64_t> dead_;
  std::vector<ProductState> order_;
  DispatchMachine machine_;
  FrozenFsm& fsm_ = machine_.fsm;
};

}  // namespace

DispatchMachine dispatch_machine(const WatchedTexts& texts) { return Builder(texts).run(); }

}  // namespace xg2lab
