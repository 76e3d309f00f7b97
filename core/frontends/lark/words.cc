// Read: words_before; WordLister::list, which gives up if there are too many words.
#include "frontends/lark/words.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "languages/regex/elimination.h"
#include "support/budget.h"

namespace xg2lab::lark {
namespace {

// A terminal's states in the product, renumbered.
class States {
 public:
  States(const Product& product, TerminalId terminal) : states_(product.states_of(terminal)) {}

  size_t size() const { return states_.size(); }
  uint32_t operator[](size_t at) const { return states_[at]; }
  // Nothing if the terminal can't match any more.
  std::optional<uint32_t> find(uint32_t state) const {
    const auto at = std::ranges::lower_bound(states_, state);
    if (at == states_.end() || *at != state) return std::nullopt;
    return static_cast<uint32_t>(at - states_.begin());
  }

 private:
  std::span<const uint32_t> states_;
};

// Compares vectors of bools lexicographically.
struct FewerFirst {
  bool operator()(const std::vector<Letter>& a, const std::vector<Letter>& b) const {
    const auto [in_a, in_b] = std::ranges::mismatch(a, b);
    if (in_a == a.end() || in_b == b.end()) return in_b != b.end();
    return *in_a > *in_b;
  }
};

class WordLister {
 public:
  WordLister(const Product& product, const SymbolSets& sets, const WordsQuery& query)
      : product_(product), sets_(sets), query_(query), states_(product, query.terminal) {}

  using Ends = std::map<std::vector<Letter>, std::vector<uint32_t>, FewerFirst>;

  // The states in which the terminal has matched, grouped by the letters excluded there.
  Ends ends() const {
    Ends ends;
    std::vector<Letter> barred;
    for (size_t i = 0; i < states_.size(); ++i) {
      if (i % 1024 == 0) check_budget("computing what may follow text");
      if (!sets_.has(product_.matching(states_[i]), query_.terminal)) continue;
      barred.clear();
      for (const auto& [letter, to] : product_.row(states_[i])) {
        if (query_.relevant[letter] && goes_on(to)) barred.push_back(letter);
      }
      ends[barred].push_back(states_[i]);
    }
    return ends;
  }

  // The words that end in one of these states. Nothing if they are too many or too long.
  std::optional<std::vector<Word>> list(const std::vector<uint32_t>& ends) {
    find_sources();
    std::vector<bool> leads(states_.size());
    std::vector<bool> is_end(states_.size());
    std::vector<uint32_t> pending;
    for (uint32_t end : ends) {
      pending.push_back(*states_.find(end));
      leads[pending.back()] = is_end[pending.back()] = true;
    }
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
      for (const auto& [letter, to] : product_.row(states_[state])) {
        const auto next = states_.find(to);
        if (!next || !leads[*next]) continue;
        begun.emplace_back(*next, word);
        begun.back().second.push_back(letter);
      }
    }
    return words;
  }

  // The language of the words that end in one of these states. Nothing if it is too large.
  std::optional<regex::NodeId> tree(const std::vector<uint32_t>& ends, regex::Ast& ast) const {
    const auto is_end = [&](uint32_t state) { return std::ranges::binary_search(ends, state); };
    const auto dfa = words_that_end(product_, query_.terminal, is_end);
    if (!dfa || dfa->n_states() > kMostSplitStates) return std::nullopt;
    return regex::tree_of(ast, *dfa, kMostSplitCharacters);
  }

 private:
  bool goes_on(uint32_t to) const {
    return std::ranges::any_of(product_.living(to), [this](const Product::Member& member) {
      return query_.is_longer(member.terminal);
    });
  }

  void find_sources() {
    if (!from_.empty()) return;
    from_.resize(states_.size());
    for (uint32_t i = 0; i < states_.size(); ++i) {
      for (const auto& [letter, to] : product_.row(states_[i])) {
        const auto next = states_.find(to);
        if (next) from_[*next].push_back(i);
      }
    }
  }

  const Product& product_;
  const SymbolSets& sets_;
  const WordsQuery& query_;
  States states_;
  std::vector<std::vector<uint32_t>> from_;  // index: in states_
};

CodePointSet set_of(const Product& product, const std::vector<Letter>& letters) {
  CodePointSet set;
  for (Letter letter : letters) {
    set.insert(set.end(), product.letters[letter].begin(), product.letters[letter].end());
  }
  return normal(std::move(set));
}

}  // namespace

std::optional<CodePointDfa> words_that_end(const Product& product, TerminalId terminal,
                                           const std::function<bool(uint32_t state)>& is_end) {
  const States living(product, terminal);
  const size_t n_letters = product.letters.size();
  if ((living.size() + 1) * n_letters > kMostWordsCells) return std::nullopt;
  CodePointDfa dfa;
  dfa.alphabet = product.alphabet;
  dfa.is_accepting.clear();
  constexpr uint32_t kNew = UINT32_MAX;
  std::vector<uint32_t> number(living.size(), kNew);
  std::vector<uint32_t> states;
  if (living.size() > 0) {
    states.push_back(0);
    number[0] = 0;
  }
  // The last state is the dead state, whose number is known only once all others are found.
  for (size_t i = 0; i < states.size(); ++i) {
    const uint32_t state = living[states[i]];
    dfa.is_accepting.push_back(is_end(state));
    dfa.next.resize(dfa.next.size() + n_letters, kNew);
    for (const auto& [letter, to] : product.row(state)) {
      const auto next = living.find(to);
      if (!next) continue;
      if (number[*next] == kNew) {
        number[*next] = static_cast<uint32_t>(states.size());
        states.push_back(*next);
      }
      dfa.next[i * n_letters + letter] = number[*next];
    }
  }
  const auto dead = static_cast<uint32_t>(states.size());
  std::ranges::replace(dfa.next, kNew, dead);
  dfa.is_accepting.push_back(false);
  dfa.next.insert(dfa.next.end(), n_letters, dead);
  return minimize(dfa);
}

std::vector<WordsBefore> words_before(const Product& product, const SymbolSets& sets,
                                      const WordsQuery& query, regex::Ast& ast) {
  WordLister words(product, sets, query);
  const auto ends = words.ends();
  std::vector<WordsBefore> result;
  std::vector<std::pair<std::vector<Letter>, std::vector<uint32_t>>> endless;
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
  // A part whose excluded characters are excluded behind the rest as well is merged into the rest.
  std::erase_if(result,
                [&](const WordsBefore& each) { return has_rest && each.not_next == of_rest; });
  if (has_rest) result.push_back({{}, std::nullopt, {}, std::move(of_rest)});
  return result;
}

}  // namespace xg2lab::lark
