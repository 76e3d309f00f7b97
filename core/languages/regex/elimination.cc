// Read: tree_of; Ways::without, one step of it.
#include "languages/regex/elimination.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace xg2lab::regex {
namespace {

// The label of the path from one state to another.
struct Way {
  NodeId tree;
  size_t n_characters = 0;
};

class Ways {
 public:
  Ways(Ast& ast, const CodePointDfa& dfa) : ast_(ast), n_states_(dfa.n_states()) {
    for (uint32_t from = 0; from < n_states_; ++from) {
      std::map<uint32_t, CodePointSet> sets;
      for (const Alphabet::Interval& interval : dfa.alphabet.intervals()) {
        sets[dfa.step(from, interval.letter)].push_back({interval.lo, interval.hi});
      }
      for (auto& [to, set] : sets) {
        add(from, to, {ast_.add_class(normal(std::move(set)), {}), 1});
      }
      if (dfa.is_accepting[from]) add(from, end(), {ast_.add_sequence({}, {}), 0});
    }
    add(start(), 0, {ast_.add_sequence({}, {}), 0});
  }

  uint32_t start() const { return static_cast<uint32_t>(n_states_); }
  uint32_t end() const { return start() + 1; }

  // Eliminates the state that costs least.
  void eliminate(std::vector<uint32_t>& states) {
    const auto cost = [this](uint32_t state) { return into(state).size() * ways_[state].size(); };
    const auto least = std::min_element(states.begin(), states.end(),
                                        [&](uint32_t a, uint32_t b) { return cost(a) < cost(b); });
    without(*least);
    states.erase(least);
  }

  size_t n_characters() const {
    size_t n = 0;
    for (const auto& [from, ways] : ways_) {
      for (const auto& [to, way] : ways) n += way.n_characters;
    }
    return n;
  }
  std::optional<NodeId> whole() const {
    const auto ways = ways_.find(start());
    if (ways == ways_.end() || !ways->second.contains(end())) return std::nullopt;
    return ways->second.at(end()).tree;
  }

 private:
  std::vector<uint32_t> into(uint32_t state) const {
    std::vector<uint32_t> from;
    for (const auto& [other, ways] : ways_) {
      if (other != state && ways.contains(state)) from.push_back(other);
    }
    return from;
  }

  void add(uint32_t from, uint32_t to, Way way) {
    const auto [known, is_new] = ways_[from].emplace(to, way);
    if (is_new) return;
    known->second = {ast_.add_choice({known->second.tree, way.tree}, {}),
                     known->second.n_characters + way.n_characters};
  }

  void without(uint32_t state) {
    const std::map<uint32_t, Way> out = ways_[state];
    std::vector<NodeId> rounds;
    size_t n_in_rounds = 0;
    if (const auto loop = out.find(state); loop != out.end()) {
      rounds.push_back(ast_.add_repeat(loop->second.tree, 0, kNoMost, {}));
      n_in_rounds = loop->second.n_characters;
    }
    for (uint32_t from : into(state)) {
      const Way in = ways_[from].at(state);
      ways_[from].erase(state);
      for (const auto& [to, way] : out) {
        if (to == state) continue;
        std::vector<NodeId> parts{in.tree};
        parts.insert(parts.end(), rounds.begin(), rounds.end());
        parts.push_back(way.tree);
        add(from, to,
            {ast_.add_sequence(std::move(parts), {}),
             in.n_characters + n_in_rounds + way.n_characters});
      }
    }
    ways_.erase(state);
  }

  Ast& ast_;
  size_t n_states_;
  std::map<uint32_t, std::map<uint32_t, Way>> ways_;  // from, to
};

}  // namespace

std::optional<NodeId> tree_of(Ast& ast, const CodePointDfa& dfa, size_t n_most) {
  Ways ways(ast, dfa);
  std::vector<uint32_t> states;
  for (uint32_t state = 0; state < dfa.n_states(); ++state) states.push_back(state);
  while (!states.empty()) {
    ways.eliminate(states);
    if (ways.n_characters() > n_most) return std::nullopt;
  }
  return ways.whole();
}

}  // namespace xg2lab::regex
