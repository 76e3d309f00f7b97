// Read: the constructor. Two rounds of fixpoints: letters, then spaces before letters, which need what letters say.
#include "mask/words_beyond.h"

#include <cstdint>

namespace xg2lab {
namespace {

constexpr uint8_t kA = 1;      // an `a` may come next
constexpr uint8_t kE = 2;      // an `e` may
constexpr uint8_t kSpace = 4;  // a space may, and behind it both
constexpr uint8_t kLetters = kA | kE;

class Facts {
 public:
  explicit Facts(const Program& program)
      : program_(program), first_(program.n_states()), follow_(program.n_rules()) {
    struct Space {
      uint32_t from;
      StateId to;
    };
    std::vector<Space> spaces;
    for (uint32_t s = 0; s < program.n_states(); ++s) {
      for (const TerminalEdge& edge : program.terminals(StateId(s))) {
        if (edge.range.contains('a')) first_[s] |= kA;
        if (edge.range.contains('e')) first_[s] |= kE;
        if (edge.range.contains(' ')) spaces.push_back({s, edge.to});
      }
      for (const CallEdge& call : program.calls(StateId(s)))
        calls_.push_back({s, call.rule, call.to});
    }
    settle();
    for (const Space space : spaces) {
      if ((after(space.to) & kLetters) == kLetters) first_[space.from] |= kSpace;
    }
    settle();
  }

  bool has_letters(RuleId rule) const { return (follow_[rule.index()] & kLetters) == kLetters; }
  bool has_space(RuleId rule) const { return (follow_[rule.index()] & kSpace) != 0; }
  // Whether the state's rule may end after one letter, whichever it is.
  bool may_end_after_letter(StateId state) const { return (ending(state) & kLetters) == kLetters; }
  // The same, or after a space.
  bool may_end_at_once(StateId state) const {
    return may_end_after_letter(state) || (ending(state) & kSpace) != 0;
  }

 private:
  uint8_t ending(StateId state) const {
    uint8_t ending = 0;
    for (const TerminalEdge& edge : program_.terminals(state)) {
      if (!program_.is_accepting(edge.to)) continue;
      if (edge.range.contains('a')) ending |= kA;
      if (edge.range.contains('e')) ending |= kE;
      if (edge.range.contains(' ')) ending |= kSpace;
    }
    return ending;
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

  const Program& program_;
  std::vector<Call> calls_;      // by the state that they leave
  std::vector<uint8_t> first_;   // index: state
  std::vector<uint8_t> follow_;  // index: rule
};

}  // namespace

WordsBeyond::WordsBeyond(const Program& program)
    : has_(program.n_rules()),
      has_at_once_(program.n_rules()),
      leave_at_once_(program.n_states()),
      leave_after_letters_(program.n_states()) {
  const Facts facts(program);
  for (size_t r = 0; r < has_.size(); ++r) {
    const RuleId rule(r);
    if (program.rule(rule).has_unique_context) continue;
    has_at_once_[r] = facts.has_letters(rule);
    has_[r] = has_at_once_[r] || facts.has_space(rule);
  }
  for (size_t s = 0; s < leave_at_once_.size(); ++s) {
    const StateId state(s);
    if (!has_at_once_[program.rule_of(state).index()]) continue;
    leave_at_once_[s] = facts.may_end_at_once(state);
    leave_after_letters_[s] = facts.may_end_after_letter(state);
  }
}

}  // namespace xg2lab
