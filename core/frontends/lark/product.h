// The product of all terminals' machines: which terminals have matched, and which could continue.
//
// Tests: tests/core/test_lark.py, tests/core/test_growth_lark.py
//
// IDEA
//   The product, without dead states, is one deterministic machine that records in each state which
//   terminals have matched, like the machine of a lexer generator. The facts about pairs of
//   terminals that a lexer needs are read off its states: that both match the same word, or that
//   one matches where the other could continue. A state lists only the terminals that can still
//   match, and a row only the letters that lead somewhere. So thousands of keywords form a trie,
//   and a query about a terminal visits only the states that list it.
//
// EXAMPLE   "if", NAME: /[a-z]+/   after "if" both match; after "i" NAME matches, and "if" could
//           continue.
//
// COST      the sum over the states, for all terminals listed in a state, of the letters that lead
//           on: kMostProductCells
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "frontends/lark/leaves.h"

namespace xg2lab::lark {

constexpr size_t kMostProductStates = 400'000;
constexpr size_t kMostProductCells = 6'000'000;  // terminals listed in states, and their letters
constexpr size_t kMostProductSteps = 40'000'000;

class Product {
 public:
  static constexpr uint32_t kDead = UINT32_MAX;

  // A terminal that can still match, and the state of its machine.
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

  // State 0 is the start; no edge leads back to it.
  size_t n_states() const { return matching_.size(); }
  // In ascending order of terminals.
  std::span<const Member> living(uint32_t state) const {
    return std::span(members_).subspan(member_begin_[state],
                                       member_begin_[state + 1] - member_begin_[state]);
  }
  // In ascending order of letters.
  std::span<const Step> row(uint32_t state) const {
    return std::span(steps_).subspan(step_begin_[state],
                                     step_begin_[state + 1] - step_begin_[state]);
  }
  // The terminals whose match ends here. None at the start.
  SetId matching(uint32_t state) const { return matching_[state]; }
  bool lives(uint32_t state, TerminalId terminal) const;

  // The states that list a terminal, ascending; and the letters that it may begin with.
  std::span<const uint32_t> states_of(TerminalId terminal) const {
    return std::span(states_).subspan(state_begin_[terminal],
                                      state_begin_[terminal + 1] - state_begin_[terminal]);
  }
  std::span<const Letter> first(TerminalId terminal) const {
    return std::span(firsts_).subspan(first_begin_[terminal],
                                      first_begin_[terminal + 1] - first_begin_[terminal]);
  }
  // equal: the terminals that share a word with it. The other: the terminals that match a nonempty
  // prefix of one of its words, or the word itself.
  SetId equal(TerminalId terminal, SymbolSets& sets) const;
  SetId prefix(TerminalId terminal, SymbolSets& sets) const;

  // For tests: the work to build the product.
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

// The product of these terminals. Nothing if it is too large.
std::optional<Product> find_product(const Terminals& terminals, SetId used, SymbolSets& sets);

}  // namespace xg2lab::lark
