// Read: ProductBuilder::build; find_alphabet, find_next.
#include "frontends/lark/product.h"

#include <algorithm>
#include <map>
#include <utility>

#include "automata/joint_alphabet.h"
#include "frontends/lark/lexing.h"
#include "support/budget.h"
#include "support/interned_rows.h"
#include "support/sort_unique.h"

namespace xg2lab::lark {

bool Product::lives(uint32_t state, TerminalId terminal) const {
  const auto members = living(state);
  const auto at = std::ranges::lower_bound(members, terminal, {}, &Member::terminal);
  return at != members.end() && at->terminal == terminal;
}

SetId Product::equal(TerminalId terminal, SymbolSets& sets) const {
  std::vector<SetId> found;
  for (uint32_t state : states_of(terminal)) {
    if (sets.has(matching_[state], terminal)) found.push_back(matching_[state]);
  }
  sort_unique(found);
  return sets.unite(found);
}

SetId Product::prefix(TerminalId terminal, SymbolSets& sets) const {
  std::vector<SetId> found;
  for (uint32_t state : states_of(terminal)) found.push_back(matching_[state]);
  sort_unique(found);
  return sets.unite(found);
}

class ProductBuilder {
 public:
  ProductBuilder(const Terminals& terminals, SetId used, SymbolSets& sets)
      : terminals_(terminals), sets_(sets) {
    sets.for_each(used, [this](size_t symbol) {
      if (symbol < terminals_.size()) used_.push_back(static_cast<TerminalId>(symbol));
    });
  }

  // The states are made breadth-first by interning; the limits are checked before each state is
  // expanded.
  std::optional<Product> build() {
    if (!find_alphabet() || !find_living()) return std::nullopt;
    std::vector<uint32_t> start;
    for (TerminalId id : used_) {
      if (is_living_[id][0]) start.insert(start.end(), {id, 0});
    }
    states_.add(start);
    buckets_.resize(product_.letters.size());
    for (uint32_t state = 0; state < states_.size(); ++state) {
      const bool is_within = states_.size() <= kMostProductStates &&
                             product_.n_cells() <= kMostProductCells &&
                             n_steps_ <= kMostProductSteps;
      if (!is_within) return std::nullopt;
      check_budget("building the lexer's machine");
      note(state);
      find_next(state);
    }
    turn_round();
    return std::move(product_);
  }

 private:
  // Finds the letters that separate all terminals, and how each terminal's letters map to them.
  bool find_alphabet() {
    std::vector<const Alphabet*> alphabets;
    for (TerminalId id : used_) alphabets.push_back(&terminals_[id].dfa.alphabet);
    auto joint = JointAlphabet::of(alphabets, kMostProductSteps);
    if (!joint) return false;
    product_.alphabet = std::move(joint->alphabet);
    product_.letters.resize(product_.alphabet.n_letters());
    for (const Alphabet::Interval& interval : product_.alphabet.intervals()) {
      product_.letters[interval.letter].push_back({interval.lo, interval.hi});
    }
    for (CodePointSet& letter : product_.letters) letter = normal(std::move(letter));
    parts_.resize(terminals_.size());
    rest_.resize(terminals_.size());
    for (size_t i = 0; i < used_.size(); ++i) {
      parts_[used_[i]] = std::move(joint->parts[i]);
      rest_[used_[i]] = joint->rest[i];
    }
    return true;
  }

  // The letter of all other characters usually leads nowhere; if it does lead on, its list of joint
  // letters is made.
  void list_rest(TerminalId id) {
    const CodePointDfa& dfa = terminals_[id].dfa;
    bool leads_on = false;
    for (uint32_t state = 0; state < dfa.n_states(); ++state) {
      leads_on = leads_on || is_living_[id][dfa.step(state, rest_[id])];
    }
    if (!leads_on) return;
    std::vector<bool> is_other(product_.letters.size());
    for (const std::vector<Letter>& letters : parts_[id]) {
      for (Letter letter : letters) is_other[letter] = true;
    }
    std::vector<Letter>& rest = parts_[id][rest_[id]];
    for (Letter letter = 0; letter < is_other.size(); ++letter) {
      if (!is_other[letter]) rest.push_back(letter);
    }
    n_steps_ += is_other.size();
  }

  // Computes which states lead to an accepting one. Returns false if that takes too much work.
  bool find_living() {
    is_living_.resize(terminals_.size());
    for (TerminalId id : used_) {
      check_budget("building the lexer's machine");
      const CodePointDfa& dfa = terminals_[id].dfa;
      count_work("building the lexer's machine",
                 dfa.n_states() * dfa.alphabet.n_letters() / 16 + 1);
      std::vector<std::vector<uint32_t>> from(dfa.n_states());
      for (uint32_t state = 0; state < dfa.n_states(); ++state) {
        for (Letter letter = 0; letter < dfa.alphabet.n_letters(); ++letter) {
          auto& list = from[dfa.step(state, letter)];
          if (list.empty() || list.back() != state) list.push_back(state);
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
      list_rest(id);
      if (n_steps_ > kMostProductSteps) return false;
    }
    return true;
  }

  // At the start nothing was read yet, so no relevant terminal has matched.
  void note(uint32_t state) {
    const auto members = states_[state];
    matched_.clear();
    for (size_t i = 0; i < members.size(); i += 2) {
      const TerminalId id = members[i];
      product_.members_.push_back({id, members[i + 1]});
      if (state != 0 && terminals_[id].dfa.is_accepting[members[i + 1]]) matched_.push_back(id);
    }
    product_.member_begin_.push_back(static_cast<uint32_t>(product_.members_.size()));
    product_.matching_.push_back(sets_.of(matched_));
  }

  // Each listed terminal adds its successors to the buckets of its letters; each bucket becomes a
  // state.
  void find_next(uint32_t state) {
    touched_.clear();
    for (const auto& [id, at] : product_.living(state)) {
      const CodePointDfa& dfa = terminals_[id].dfa;
      for (Letter own = 0; own < dfa.alphabet.n_letters(); ++own) {
        const uint32_t next = dfa.step(at, own);
        if (!is_living_[id][next]) continue;
        for (Letter letter : parts_[id][own]) {
          if (buckets_[letter].empty()) touched_.push_back(letter);
          buckets_[letter].insert(buckets_[letter].end(), {id, next});
          ++n_steps_;
        }
      }
      ++n_steps_;
    }
    // Sorted, so that rows are in the order of letters.
    std::sort(touched_.begin(), touched_.end());
    for (Letter letter : touched_) {
      product_.steps_.push_back({letter, states_.add(buckets_[letter]).id});
      buckets_[letter].clear();
    }
    product_.step_begin_.push_back(static_cast<uint32_t>(product_.steps_.size()));
  }

  // Inverts the tables: for each terminal its states, and the letters that it begins with.
  void turn_round() {
    std::vector<uint32_t>& begin = product_.state_begin_;
    begin.assign(terminals_.size() + 1, 0);
    for (const auto& member : product_.members_) ++begin[member.terminal + 1];
    for (size_t i = 0; i < terminals_.size(); ++i) begin[i + 1] += begin[i];
    product_.states_.resize(product_.members_.size());
    std::vector<uint32_t> at(begin.begin(), begin.end() - 1);
    for (uint32_t state = 0; state < product_.n_states(); ++state) {
      for (const auto& member : product_.living(state)) {
        product_.states_[at[member.terminal]++] = state;
      }
    }
    std::vector<uint32_t>& first = product_.first_begin_;
    first.assign(terminals_.size() + 1, 0);
    const auto row = product_.row(0);
    for (const auto& step : row) {
      for (const auto& member : product_.living(step.to)) ++first[member.terminal + 1];
    }
    for (size_t i = 0; i < terminals_.size(); ++i) first[i + 1] += first[i];
    product_.firsts_.resize(first.back());
    at.assign(first.begin(), first.end() - 1);
    for (const auto& step : row) {
      for (const auto& member : product_.living(step.to)) {
        product_.firsts_[at[member.terminal]++] = step.letter;
      }
    }
  }

  const Terminals& terminals_;
  SymbolSets& sets_;
  std::vector<TerminalId> used_;
  std::vector<std::vector<std::vector<Letter>>> parts_;  // index: terminal, its letter
  std::vector<Letter> rest_;                             // index: terminal
  std::vector<std::vector<bool>> is_living_;             // index: terminal, state
  InternedRows states_;                         // pairs of a terminal and its machine's state
  std::vector<std::vector<uint32_t>> buckets_;  // index: letter
  std::vector<Letter> touched_;
  std::vector<TerminalId> matched_;
  size_t n_steps_ = 0;
  Product product_;
};

std::optional<Product> find_product(const Terminals& terminals, SetId used, SymbolSets& sets) {
  return ProductBuilder(terminals, used, sets).build();
}

}  // namespace xg2lab::lark
