// All terminals read at once: which of them have matched, and which could go on.
//
// Tests: tests/core/test_lark.py, tests/core/test_growth_lark.py
//
// IDEA
//   The product of the terminals' machines, without those that are dead: one deterministic machine
//   that knows at each state which terminals have matched, as the machine of a lexer generator
//   does. What a lexer has to know about pairs of terminals is read off its states: that both
//   match the same word, that one matches where the other could go on.
//   A state holds those terminals only that could still match, and a row those letters only that
//   lead on: so thousands of keywords are a trie, and each question about a terminal is answered
//   by the states that hold it.
//
// EXAMPLE   "if", NAME: /[a-z]+/   after "if" both match; after "i" NAME matches, and "if" could go on.
//
// COST      the letters that lead on, of all terminals that a state holds, over the states:
//           kMostProductCells
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "frontends/lark/leaves.h"

namespace xg2lab::lark {

constexpr size_t kMostProductStates = 400'000;
constexpr size_t kMostProductCells = 6'000'000;  // terminals of states, and letters that lead on
constexpr size_t kMostProductSteps = 40'000'000;

class Product {
 public:
  static constexpr uint32_t kDead = UINT32_MAX;

  // A terminal that could still match, and the state of its machine.
  struct Member {
    TerminalId terminal;
    uint32_t state;
    friend bool operator==(const Member&, const Member&) = default;
  };
  struct Step {
    Letter letter;
    uint32_t to;
  };

  Alphabet alphabet;
  std::vector<CodePointSet> letters;  // index: letter

  // State 0 is the start, to which nothing leads back.
  size_t n_states() const { return matching_.size(); }
  // In the order of terminals.
  std::span<const Member> living(uint32_t state) const {
    return std::span(members_).subspan(member_begin_[state],
                                       member_begin_[state + 1] - member_begin_[state]);
  }
  // In the order of letters.
  std::span<const Step> row(uint32_t state) const {
    return std::span(steps_).subspan(step_begin_[state],
                                     step_begin_[state + 1] - step_begin_[state]);
  }
  // Those that have matched just now. At the start none has.
  SetId matching(uint32_t state) const { return matching_[state]; }
  bool lives(uint32_t state, TerminalId terminal) const;

  // The states that hold a terminal, ascending; and the letters that it may begin with.
  std::span<const uint32_t> states_of(TerminalId terminal) const {
    return std::span(states_).subspan(state_begin_[terminal],
                                      state_begin_[terminal + 1] - state_begin_[terminal]);
  }
  std::span<const Letter> first(TerminalId terminal) const {
    return std::span(firsts_).subspan(first_begin_[terminal],
                                      first_begin_[terminal + 1] - first_begin_[terminal]);
  }
  // Those that match one of its words; those that match where it has begun, at its end or before.
  SetId equal(TerminalId terminal, SymbolSets& sets) const;
  SetId prefix(TerminalId terminal, SymbolSets& sets) const;

  // For tests: what was done to make it.
  size_t n_cells() const { return members_.size() + steps_.size(); }

 private:
  friend class ProductBuilder;
  std::vector<Member> members_;
  std::vector<uint32_t> member_begin_{0};  // index: state
  std::vector<Step> steps_;
  std::vector<uint32_t> step_begin_{0};  // index: state
  std::vector<SetId> matching_;          // index: state
  std::vector<uint32_t> states_;
  std::vector<uint32_t> state_begin_;  // index: terminal
  std::vector<Letter> firsts_;
  std::vector<uint32_t> first_begin_;  // index: terminal
};

// Of these terminals. Nothing: it is too large.
std::optional<Product> find_product(const Terminals& terminals, SetId used, SymbolSets& sets);

}  // namespace xg2lab::lark
