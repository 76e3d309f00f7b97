// Read: words_before; Words::list, which gives up where there are too many.
#include "frontends/lark/words.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "frontends/regex/elimination.h"

namespace xg2lab::lark {
namespace {

class Words {
 public:
  Words(const Product& product, const WordsQuery& query) : product_(product), query_(query) {
    std::vector<uint32_t> pending{0};
    from_.resize(product.n_states());
    is_reached_.resize(product.n_states());
    is_reached_[0] = true;
    while (!pending.empty()) {
      const uint32_t state = pending.back();
      pending.pop_back();
      for (Letter letter = 0; letter < product_.letters.size(); ++letter) {
        const uint32_t to = product_.step(state, letter);
        if (to == Product::kDead || !product_.living[to].has(query_.terminal)) continue;
        from_[to].push_back(state);
        if (is_reached_[to]) continue;
        is_reached_[to] = true;
        pending.push_back(to);
      }
    }
  }

  // The states in which the terminal has matched, by the letters that are ruled out there.
  std::map<std::vector<bool>, std::vector<uint32_t>> ends() const {
    std::map<std::vector<bool>, std::vector<uint32_t>> ends;
    for (uint32_t state = 0; state < product_.n_states(); ++state) {
      if (!is_reached_[state] || !product_.matching[state].has(query_.terminal)) continue;
      std::vector<bool> barred(product_.letters.size());
      for (Letter letter = 0; letter < barred.size(); ++letter) {
        const uint32_t to = product_.step(state, letter);
        if (to == Product::kDead || !query_.relevant[letter]) continue;
        barred[letter] = product_.living[to].intersects(query_.longer);
      }
      ends[barred].push_back(state);
    }
    return ends;
  }

  // The words that end in one of these states. Nothing: they are too many, or too long.
  std::optional<std::vector<Word>> list(const std::vector<uint32_t>& ends) const {
    std::vector<bool> leads(product_.n_states());
    std::vector<bool> is_end(product_.n_states());
    std::vector<uint32_t> pending = ends;
    for (uint32_t end : ends) leads[end] = is_end[end] = true;
    while (!pending.empty()) {
      const uint32_t state = pending.back();
      pending.pop_back();
      for (uint32_t before : from_[state]) {
        if (leads[before]) continue;
        leads[before] = true;
        pending.push_back(before);
      }
    }
    std::vector<Word> words;
    std::vector<std::pair<uint32_t, Word>> begun{{0, {}}};
    while (!begun.empty()) {
      const auto [state, word] = std::move(begun.back());
      begun.pop_back();
      if (is_end[state]) words.push_back(word);
      if (words.size() + begun.size() > kMostSplitWords || word.size() > kMostSplitLength)
        return std::nullopt;
      for (Letter letter = 0; letter < product_.letters.size(); ++letter) {
        const uint32_t to = product_.step(state, letter);
        if (to == Product::kDead || !leads[to] || !product_.living[to].has(query_.terminal))
          continue;
        begun.emplace_back(to, word);
        begun.back().second.push_back(letter);
      }
    }
    return words;
  }

  // The language of the words that end in one of these states. Nothing: it is too large.
  std::optional<regex::NodeId> tree(const std::vector<uint32_t>& ends, regex::Ast& ast) const {
    CodePointDfa dfa;
    dfa.alphabet = product_.alphabet;
    const auto dead = static_cast<uint32_t>(product_.n_states());
    dfa.is_accepting.assign(product_.n_states() + 1, false);
    for (uint32_t end : ends) dfa.is_accepting[end] = true;
    for (uint32_t state = 0; state <= dead; ++state) {
      for (Letter letter = 0; letter < product_.letters.size(); ++letter) {
        const uint32_t to = state == dead ? Product::kDead : product_.step(state, letter);
        const bool lives = to != Product::kDead && product_.living[to].has(query_.terminal);
        dfa.next.push_back(lives ? to : dead);
      }
    }
    dfa = minimize(dfa);
    if (dfa.n_states() > kMostSplitStates) return std::nullopt;
    return regex::tree_of(ast, dfa, kMostSplitCharacters);
  }

 private:
  const Product& product_;
  const WordsQuery& query_;
  std::vector<std::vector<uint32_t>> from_;  // index: state, of those in which the terminal lives
  std::vector<bool> is_reached_;
};

CodePointSet set_of(const Product& product, const std::vector<bool>& letters) {
  CodePointSet set;
  for (Letter letter = 0; letter < letters.size(); ++letter) {
    if (letters[letter])
      set.insert(set.end(), product.letters[letter].begin(), product.letters[letter].end());
  }
  return normal(std::move(set));
}

}  // namespace

CodePointDfa words_that_end(const Product& product, TerminalId terminal,
                            const std::vector<bool>& is_end) {
  CodePointDfa dfa;
  dfa.alphabet = product.alphabet;
  dfa.is_accepting.clear();
  constexpr uint32_t kNew = UINT32_MAX;
  std::vector<uint32_t> number(product.n_states(), kNew);
  std::vector<uint32_t> states{0};
  number[0] = 0;
  const size_t n_letters = product.letters.size();
  // The last state is the dead one; its number is not known before all are reached.
  for (size_t i = 0; i < states.size(); ++i) {
    dfa.is_accepting.push_back(is_end[states[i]]);
    for (Letter letter = 0; letter < n_letters; ++letter) {
      const uint32_t to = product.step(states[i], letter);
      const bool lives = to != Product::kDead && product.living[to].has(terminal);
      if (lives && number[to] == kNew) {
        number[to] = static_cast<uint32_t>(states.size());
        states.push_back(to);
      }
      dfa.next.push_back(lives ? number[to] : kNew);
    }
  }
  const auto dead = static_cast<uint32_t>(states.size());
  std::ranges::replace(dfa.next, kNew, dead);
  dfa.is_accepting.push_back(false);
  dfa.next.insert(dfa.next.end(), n_letters, dead);
  return minimize(dfa);
}

std::vector<WordsBefore> words_before(const Product& product, const WordsQuery& query,
                                      regex::Ast& ast) {
  const Words words(product, query);
  const auto ends = words.ends();
  std::vector<WordsBefore> result;
  std::vector<std::pair<std::vector<bool>, std::vector<uint32_t>>> endless;
  for (const auto& [barred, states] : ends) {
    auto listed = ends.size() > 1 ? words.list(states) : std::nullopt;
    if (!listed) {
      endless.emplace_back(barred, states);
      continue;
    }
    std::sort(listed->begin(), listed->end());
    result.push_back({std::move(*listed), std::nullopt, states, set_of(product, barred)});
  }
  CodePointSet of_rest;
  bool has_rest = false;
  for (const auto& [barred, states] : endless) {
    const bool is_worth_it = endless.size() > 1 && endless.size() <= kMostSplitParts;
    const auto tree = is_worth_it ? words.tree(states, ast) : std::nullopt;
    if (tree) {
      result.push_back({{}, tree, states, set_of(product, barred)});
    } else {
      of_rest = unite(of_rest, set_of(product, barred));
      has_rest = true;
    }
  }
  // What is ruled out behind the rest as well needs no part of its own.
  std::erase_if(result,
                [&](const WordsBefore& each) { return has_rest && each.not_next == of_rest; });
  if (has_rest) result.push_back({{}, std::nullopt, {}, std::move(of_rest)});
  return result;
}

}  // namespace xg2lab::lark
