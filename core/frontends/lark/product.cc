// Read: Builder::build; common_alphabet.
#include "frontends/lark/product.h"

#include <algorithm>
#include <map>
#include <utility>

#include "frontends/lark/lexing.h"
#include "support/budget.h"

namespace xg2lab::lark {
namespace {

constexpr size_t kMostWords = size_t{1} << 24;  // of 64 bits, in a Product

// A terminal and the state of its machine, for each that can still match.
using State = std::vector<std::pair<TerminalId, uint32_t>>;

class Builder {
 public:
  Builder(const Terminals& terminals, const SymbolSet& used, size_t n_symbols)
      : terminals_(terminals), n_symbols_(n_symbols) {
    used.for_each([this](size_t symbol) {
      if (symbol < terminals_.size()) used_.push_back(static_cast<TerminalId>(symbol));
    });
  }

  std::optional<Product> build() {
    find_alphabet();
    find_living();
    const SymbolSet none(n_symbols_);
    product_.first.assign(product_.letters.size(), none);
    product_.equal.assign(terminals_.size(), none);
    product_.prefix.assign(terminals_.size(), none);
    State start;
    for (TerminalId id : used_) {
      if (is_living_[id][0]) start.emplace_back(id, 0);
    }
    states_.push_back(std::move(start));
    for (size_t at = 0; at < states_.size(); ++at) {
      const size_t n_words = states_.size() * (product_.letters.size() / 2 + n_symbols_ / 64 + 1);
      if (states_.size() > kMostProductStates || n_words > kMostWords) return std::nullopt;
      check_budget("the lexer's machine");
      const State state = states_[at];
      note(state, at == 0);
      find_next(state);
    }
    for (Letter letter = 0; letter < product_.letters.size(); ++letter) {
      const uint32_t to = product_.next[letter];
      if (to != Product::kDead) product_.first[letter] = product_.living[to];
    }
    return std::move(product_);
  }

 private:
  // Letters that no terminal tells apart. `letter_of_` is then known for each terminal.
  void find_alphabet() {
    letter_of_.resize(terminals_.size());
    for (size_t i = 0; i < used_.size(); ++i) {
      count_work("the lexer's alphabet", (i + 1) * product_.alphabet.n_letters() / 16 + 1);
      const Alphabet::Common common =
          Alphabet::common(product_.alphabet, terminals_[used_[i]].dfa.alphabet);
      for (size_t j = 0; j < i; ++j) {
        std::vector<Letter> finer;
        for (const Letter letter : common.of_a) finer.push_back(letter_of_[used_[j]][letter]);
        letter_of_[used_[j]] = std::move(finer);
      }
      letter_of_[used_[i]] = common.of_b;
      product_.alphabet = common.alphabet;
    }
    product_.letters.resize(product_.alphabet.n_letters());
    for (const Alphabet::Interval& interval : product_.alphabet.intervals()) {
      product_.letters[interval.letter].push_back({interval.lo, interval.hi});
    }
    for (CodePointSet& letter : product_.letters) letter = normal(std::move(letter));
  }

  // Whether a state leads to an accepting one.
  void find_living() {
    is_living_.resize(terminals_.size());
    for (TerminalId id : used_) {
      const CodePointDfa& dfa = terminals_[id].dfa;
      count_work("the lexer's machine", dfa.n_states() * dfa.alphabet.n_letters() / 16 + 1);
      std::vector<std::vector<uint32_t>> from(dfa.n_states());
      for (uint32_t state = 0; state < dfa.n_states(); ++state) {
        for (Letter letter = 0; letter < dfa.alphabet.n_letters(); ++letter) {
          from[dfa.step(state, letter)].push_back(state);
        }
      }
      std::vector<uint32_t> pending;
      is_living_[id] = dfa.is_accepting;
      for (uint32_t state = 0; state < dfa.n_states(); ++state) {
        if (dfa.is_accepting[state]) pending.push_back(state);
      }
      while (!pending.empty()) {
        const uint32_t state = pending.back();
        pending.pop_back();
        for (uint32_t before : from[state]) {
          if (is_living_[id][before]) continue;
          is_living_[id][before] = true;
          pending.push_back(before);
        }
      }
    }
  }

  // `is_start`: nothing was read yet, so nothing that counts has matched.
  void note(const State& state, bool is_start) {
    SymbolSet living(n_symbols_);
    SymbolSet matching(n_symbols_);
    for (const auto& [id, at] : state) {
      living.add(id);
      if (!is_start && terminals_[id].dfa.is_accepting[at]) matching.add(id);
    }
    matching.for_each([&](size_t id) { product_.equal[id].add(matching); });
    living.for_each([&](size_t id) { product_.prefix[id].add(matching); });
    product_.living.push_back(std::move(living));
    product_.matching.push_back(std::move(matching));
  }

  void find_next(const State& state) {
    State to;
    for (Letter letter = 0; letter < product_.letters.size(); ++letter) {
      to.clear();
      for (const auto& [id, at] : state) {
        const uint32_t next = terminals_[id].dfa.step(at, letter_of_[id][letter]);
        if (is_living_[id][next]) to.emplace_back(id, next);
      }
      uint32_t target = Product::kDead;
      if (!to.empty()) {
        const auto [known, is_new] = ids_.emplace(to, static_cast<uint32_t>(states_.size()));
        if (is_new) states_.push_back(to);
        target = known->second;
      }
      product_.next.push_back(target);
    }
  }

  const Terminals& terminals_;
  size_t n_symbols_;
  std::vector<TerminalId> used_;
  std::vector<std::vector<Letter>> letter_of_;  // index: terminal, letter of the product
  std::vector<std::vector<bool>> is_living_;    // index: terminal, state
  std::map<State, uint32_t> ids_;
  std::vector<State> states_;
  Product product_;
};

}  // namespace

std::optional<Product> find_product(const Terminals& terminals, const SymbolSet& used,
                                    size_t n_symbols) {
  return Builder(terminals, used, n_symbols).build();
}

}  // namespace xg2lab::lark
