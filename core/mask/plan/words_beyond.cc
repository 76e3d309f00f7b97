// Read: the constructor of Facts. It has two rounds: first letters, then spaces before letters,
// because the second round needs the FIRST sets of the first.
#include "mask/plan/words_beyond.h"

#include <cstdint>

#include "parse/first_follow.h"

namespace xg2lab {
namespace {

constexpr uint8_t kA = 1;      // an `a` may come next
constexpr uint8_t kE = 2;      // an `e` may come next
constexpr uint8_t kSpace = 4;  // a space may come next, and after it an `a` and an `e`
constexpr uint8_t kLetters = kA | kE;

// The bytes among `a`, `e` and space after which the state's rule may end.
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

// FIRST and FOLLOW start at calls, so only states next to a call are read. Machines of large
// patterns have no calls, so nearly all of their states are skipped.
class Facts {
 public:
  explicit Facts(const Program& program)
      : program_(program), is_read_(program.n_states()), found_(program) {
    for (const auto& [from, rule, to] : found_.calls()) {
      read(from);
      read(to);
      read(program.rule(rule).start());
    }
    // The states after the spaces are read too. Reading them finds further spaces, which stay out
    // of this round.
    const std::vector<Space> before_calls = spaces_;
    for (const Space& space : before_calls) read(space.to);
    found_.settle();
    for (const auto& [from, to] : before_calls) {
      if ((found_.after(to) & kLetters) == kLetters) found_.first[from.index()] |= kSpace;
    }
    found_.settle();
  }

  bool has_letters(RuleId rule) const { return (follow(rule) & kLetters) == kLetters; }
  bool has_space(RuleId rule) const { return (follow(rule) & kSpace) != 0; }

 private:
  uint8_t follow(RuleId rule) const { return found_.follow[rule.index()]; }

  // Adds the bytes that `state` reads to its FIRST set, and notes its edges over a space.
  void read(StateId state) {
    if (is_read_[state.index()]) return;
    is_read_[state.index()] = true;
    uint8_t& first = found_.first[state.index()];
    for (const TerminalEdge& edge : program_.terminals(state)) {
      if (edge.range.contains('a')) first |= kA;
      if (edge.range.contains('e')) first |= kE;
      if (edge.range.contains(' ')) spaces_.push_back({state, edge.to});
    }
  }

  struct Space {
    StateId from;
    StateId to;
  };

  const Program& program_;
  std::vector<Space> spaces_;  // the space edges of the states that were read
  std::vector<bool> is_read_;  // index: state
  FirstFollow<uint8_t> found_;
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
