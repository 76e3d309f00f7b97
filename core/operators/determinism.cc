// Read: Steps (the symbols that a set distinguishes), Search (the agenda of sets), Leaves (the test
// without texts). The trick: between two neighbouring ends of byte ranges all bytes lead to the
// same set, so one byte of each stretch is tried.
#include "operators/determinism.h"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "support/budget.h"

namespace xg2lab::operators {
namespace {

constexpr std::string_view kAnalyzing = "analyzing the tree of operators";

// The symbols that a set of positions distinguishes.
class Steps {
 public:
  explicit Steps(Positions& positions) : positions_(positions) {}

  // Calls visit(takers, after) for each symbol: the positions that take it, and a function that
  // returns the set it leads to. Stops if visit returns false.
  template <typename Visit>
  void each(const Active& active, const Visit& visit) {
    if (bytes(active, visit)) tokens(active, visit);
  }

 private:
  // Tries one byte of each stretch that no range of `active` begins or ends within.
  template <typename Visit>
  bool bytes(const Active& active, const Visit& visit) {
    std::vector<std::vector<ByteRange>> ranges;
    std::set<uint32_t> begins;
    for (const Position& position : active) {
      ranges.push_back(positions_.bytes(position));
      for (const ByteRange range : ranges.back()) {
        count_work(kAnalyzing);
        begins.insert(range.lo);
        begins.insert(range.hi + 1u);
      }
    }
    for (const uint32_t begin : begins) {
      if (begin > 0xFF) break;
      const auto byte = static_cast<uint8_t>(begin);
      Active takers;
      for (size_t i = 0; i < active.size(); ++i) {
        count_work(kAnalyzing, ranges[i].size());
        if (std::ranges::any_of(ranges[i], [&](ByteRange range) { return range.contains(byte); }))
          takers.push_back(active[i]);
      }
      if (takers.empty()) continue;
      if (!visit(takers, [&] { return positions_.advance(takers, byte); })) return false;
    }
    return true;
  }

  // Tries one token of each kind that the token edges of `active` distinguish.
  template <typename Visit>
  void tokens(const Active& active, const Visit& visit) {
    Active edges;
    std::vector<const TokenSet*> sets;
    std::set<std::optional<TokenId>> samples{
        std::nullopt};  // nothing: a token of no id in the sets
    for (const Position& position : active) {
      const TokenSet* set = positions_.tokens(position);
      if (set == nullptr) continue;
      edges.push_back(position);
      sets.push_back(set);
      samples.insert(set->ids.begin(), set->ids.end());
    }
    if (edges.empty()) return;
    std::set<std::vector<size_t>> tried;
    for (const std::optional<TokenId> token : samples) {
      std::vector<size_t> takers;
      for (size_t i = 0; i < edges.size(); ++i) {
        count_work(kAnalyzing);
        if (token ? sets[i]->holds(*token) : sets[i]->is_negated) takers.push_back(i);
      }
      if (takers.empty() || !tried.insert(takers).second) continue;
      Active some;
      for (const size_t i : takers) some.push_back(edges[i]);
      if (!visit(some, [&] { return positions_.crossed(some, token); })) return;
    }
  }

  Positions& positions_;
};

// All sets of positions that texts lead to, up to the limits.
class Search {
 public:
  Search(Positions& positions, const DeterminismLimits& limits)
      : positions_(positions), steps_(positions), limits_(limits) {}

  Determinism run() {
    add(positions_.start());
    for (size_t i = 0; i < agenda_.size() && !is_over_; ++i) {
      const Active& active = *agenda_[i];
      const auto n_active =
          static_cast<size_t>(std::ranges::count_if(active, std::not_fn(&Position::is_end)));
      most_active_ = std::max(most_active_, n_active);
      steps_.each(active, [&](const Active& takers, const auto& after) {
        if (takers.size() > 1 && !rivals_) rivals_ = {takers[0].leaf, takers[1].leaf};
        add(after());
        return !is_over_;
      });
    }
    Determinism found;
    found.rivals = rivals_;
    if (rivals_) found.is_deterministic = false;
    else if (!is_over_) found.is_deterministic = true;
    if (!is_over_) found.most_active = most_active_;
    return found;
  }

 private:
  void add(Active active) {
    size_t n_words = 0;
    for (const Position& position : active) n_words += 1 + position.counts.size();
    const auto [place, is_new] = known_.insert(std::move(active));
    if (!is_new) return;
    agenda_.push_back(&*place);
    n_words_ += n_words;
    is_over_ = is_over_ || agenda_.size() > limits_.n_sets || n_words_ > limits_.n_words;
  }

  Positions& positions_;
  Steps steps_;
  const DeterminismLimits limits_;
  std::set<Active> known_;
  std::vector<const Active*> agenda_;
  size_t n_words_ = 0;
  size_t most_active_ = 0;
  bool is_over_ = false;
  std::optional<std::pair<OperatorId, OperatorId>> rivals_;
};

// A test that follows no text. A leaf is looked at with the numbers at which a DoWhile around it
// changes what it allows. Every combination of them is taken as reachable, so the test may find
// rivals that no text leads to, but it misses none.
class Leaves {
 public:
  Leaves(Positions& positions, const DeterminismLimits& limits)
      : positions_(positions), steps_(positions), limits_(limits) {}

  // False as well where the test needs more positions than the limits allow.
  bool never_compete() {
    if (has_rivals(positions_.start())) return false;
    return leaves_below(OperatorId(0u));
  }

 private:
  using Counts = std::vector<Interval>;

  // Tests the leaves at and below an operator. What lies within a Wait for a shortest match is part
  // of the Wait's own state.
  bool leaves_below(OperatorId root) {
    std::vector<OperatorId> agenda{root};
    while (!agenda.empty()) {
      const OperatorId at = agenda.back();
      agenda.pop_back();
      const Reads reads = positions_.tree().at(at).reads;
      if (reads != Reads::kNothing && !at_all_numbers(at)) return false;
      if (reads == Reads::kShortest) continue;
      const std::span<const OperatorId> children = positions_.tree().children(at);
      agenda.insert(agenda.end(), children.begin(), children.end());
    }
    return true;
  }

  bool at_all_numbers(OperatorId leaf) {
    const std::vector<OperatorId> loops = positions_.loops(leaf);
    std::vector<std::vector<Interval>> choices;
    for (const OperatorId loop : loops) choices.push_back(positions_.decisive_numbers(loop));
    std::vector<size_t> chosen(loops.size());
    while (true) {
      Counts counts;
      for (size_t i = 0; i < chosen.size(); ++i) counts.push_back(choices[i][chosen[i]]);
      if (leads_to_rivals(leaf, counts)) return false;
      size_t i = 0;
      while (i < chosen.size() && ++chosen[i] == choices[i].size()) chosen[i++] = 0;
      if (i == chosen.size()) return true;
    }
  }

  // Whether rivals are active after some symbol is read at the leaf.
  bool leads_to_rivals(OperatorId leaf, const Counts& counts) {
    Active agenda = positions_.at_leaf(leaf, counts);
    std::set<Position> seen(agenda.begin(), agenda.end());
    bool found = false;
    for (size_t i = 0; i < agenda.size() && !found; ++i) {
      n_words_ += 1 + counts.size();
      if (n_words_ > limits_.n_words) return true;
      steps_.each({agenda[i]}, [&](const Active&, const auto& make) {
        const Active after = make();
        found = found || has_rivals(after);
        for (const Position& next : after) {
          if (next.leaf == leaf && next.counts == counts && seen.insert(next).second)
            agenda.push_back(next);
        }
        return !found;
      });
    }
    return found;
  }

  bool has_rivals(const Active& active) {
    bool found = false;
    steps_.each(active, [&](const Active& takers, const auto&) {
      found = found || takers.size() > 1;
      return !found;
    });
    return found;
  }

  Positions& positions_;
  Steps steps_;
  const DeterminismLimits limits_;
  size_t n_words_ = 0;
};

}  // namespace

Determinism analyze(std::shared_ptr<const OperatorTree> tree, const DeterminismLimits& limits) {
  Positions positions(std::move(tree));
  Determinism found = Search(positions, limits).run();
  if (!found.is_deterministic.has_value() && Leaves(positions, limits).never_compete())
    found.is_deterministic = true;
  return found;
}

}  // namespace xg2lab::operators
