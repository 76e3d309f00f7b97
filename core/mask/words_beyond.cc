// Read: the constructor. Two rounds of fixpoints: letters, then spaces before letters, which need what letters say.
#include "mask/words_beyond.h"

#include <cstdint>

namespace xg2lab {
namespace {

constexpr uint8_t kA = 1;      // an `a` may come next
constexpr uint8_t kE = 2;      // an `e` may
constexpr uint8_t kSpace = 4;  // a space may, and behind it both
constexpr uint8_t kLetters = kA | kE;

// After which of these bytes the state's rule may end.
uint8_t ending(const Program& program, StateId state) {
  uint8_t ending = 0;
  for (const TerminalEdge& edge : program.terminals(state)) {
    if (!program.is_accepting(edge.to)) continue;
    if (edge.range.contains('a')) ending |= kA;
    if (edge.range.contains('e')) ending |= kE;
    if (edge.range.contains(' ')) ending |= kSpace;
  }
  return ending;
}

// What is asked for begins at calls. Machines of large patterns have none: of their states nearly all are left out.
class Facts {
 public:
  explicit Facts(const Program& program)
      : program_(program),
        first_(program.n_states()),
        is_read_(program.n_states()),
        follow_(program.n_rules()) {
    for (uint32_t s = 0; s < program.n_states(); ++s) {
      for (const CallEdge& call : program.calls(StateId(s)))
        calls_.push_back({s, call.rule, call.to});
    }
    for (const Call& call : calls_) {
      read(StateId(call.from));
      read(call.to);
      read(program.rule(call.rule).start());
    }
    const std::vector<Space> before_calls = spaces_;
    for (const Space& space : before_calls) read(space.to);
    settle();
    for (const Space& space : before_calls) {
      if ((after(space.to) & kLetters) == kLetters) first_[space.from] |= kSpace;
    }
    settle();
  }

  bool has_letters(RuleId rule) const { return (follow_[rule.index()] & kLetters) == kLetters; }
  bool has_space(RuleId rule) const { return (follow_[rule.index()] & kSpace) != 0; }

 private:
  // What its bytes say.
  void read(StateId state) {
    if (is_read_[state.index()]) return;
    is_read_[state.index()] = true;
    uint8_t& first = first_[state.index()];
    for (const TerminalEdge& edge : program_.terminals(state)) {
      if (edge.range.contains('a')) first |= kA;
      if (edge.range.contains('e')) first |= kE;
      if (edge.range.contains(' ')) spaces_.push_back({state.value, edge.to});
    }
  }

  // What may come in a state, by its rule or, if that may end, its callers.
  uint8_t after(StateId state) const {
    const bool may_end = program_.is_accepting(state);
    return static_cast<uint8_t>(first_[state.index()] |
                                (may_end ? follow_[program_.rule_of(state).index()] : 0));
  }

  void settle() {
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      // Later states are closer to the end of their rules: backwards fewer rounds are needed.
      for (size_t i = calls_.size(); i-- > 0;) {
        const ProgramRule& called = program_.rule(calls_[i].rule);
        uint8_t more = first_[called.start().index()];
        if (called.is_nullable) more |= first_[calls_[i].to.index()];
        has_changed = add(first_[calls_[i].from], more) || has_changed;
      }
    }
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (const Call& call : calls_)
        has_changed = add(follow_[call.rule.index()], after(call.to)) || has_changed;
    }
  }

  static bool add(uint8_t& set, uint8_t more) {
    const uint8_t before = set;
    set |= more;
    return set != before;
  }

  struct Call {
    uint32_t from;
    RuleId rule;
    StateId to;
  };

  struct Space {
    uint32_t from;
    StateId to;
  };

  const Program& program_;
  std::vector<Call> calls_;      // by the state that they leave
  std::vector<Space> spaces_;    // edges of states that were read
  std::vector<uint8_t> first_;   // index: state; of those that were read
  std::vector<bool> is_read_;    // likewise
  std::vector<uint8_t> follow_;  // index: rule
};

}  // namespace

WordsBeyond::WordsBeyond(const Program& program)
    : program_(program), has_(program.n_rules()), has_at_once_(program.n_rules()) {
  const Facts facts(program);
  for (size_t r = 0; r < has_.size(); ++r) {
    const RuleId rule(r);
    if (program.rule(rule).has_unique_context) continue;
    has_at_once_[r] = facts.has_letters(rule);
    has_[r] = has_at_once_[r] || facts.has_space(rule);
  }
}

bool WordsBeyond::leave_at_once(StateId state) const {
  return leave_after_letters(state) ||
         (has_at_once(program_.rule_of(state)) && (ending(program_, state) & kSpace) != 0);
}

bool WordsBeyond::leave_after_letters(StateId state) const {
  return has_at_once(program_.rule_of(state)) && (ending(program_, state) & kLetters) == kLetters;
}

}  // namespace xg2lab
