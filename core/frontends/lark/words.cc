// Read: words_before; Words::list, which gives up where there are too many.
#include "frontends/lark/words.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

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
      if (words.size() + begun.size() > kMostSplitWords || word.size() > kMostSplitLength) return std::nullopt;
      for (Letter letter = 0; letter < product_.letters.size(); ++letter) {
        const uint32_t to = product_.step(state, letter);
        if (to == Product::kDead || !leads[to] || !product_.living[to].has(query_.terminal)) continue;
        begun.emplace_back(to, word);
        begun.back().second.push_back(letter);
      }
    }
    return words;
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
    if (letters[letter]) set.insert(set.end(), product.letters[letter].begin(), product.letters[letter].end());
  }
  return normal(std::move(set));
}

}  // namespace

std::vector<WordsBefore> words_before(const Product& product, const WordsQuery& query) {
  const Words words(product, query);
  const auto ends = words.ends();
  std::vector<WordsBefore> result;
  if (ends.size() == 1) return {{{}, set_of(product, ends.begin()->first)}};
  CodePointSet of_others;
  bool has_others = false;
  for (const auto& [barred, states] : ends) {
    auto listed = words.list(states);
    if (listed) {
      std::sort(listed->begin(), listed->end());
      result.push_back({std::move(*listed), set_of(product, barred)});
    } else {
      of_others = unite(of_others, set_of(product, barred));
      has_others = true;
    }
  }
  // What is ruled out behind no more words than the others' needs no list.
  std::erase_if(result, [&](const WordsBefore& each) { return has_others && each.not_next == of_others; });
  if (has_others) result.push_back({{}, std::move(of_others)});
  return result;
}

}  // namespace xg2lab::lark
