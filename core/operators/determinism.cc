// Read: analyze (the agenda of sets), Search::bytes and Search::tokens (which symbols a set tells
// apart). The trick: between two neighbouring ends of byte ranges all bytes lead to the same set,
// so one byte of each stretch is tried.
#include "operators/determinism.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "support/budget.h"

namespace xg2lab::operators {
namespace {

class Search {
 public:
  Search(std::shared_ptr<const OperatorTree> tree, const DeterminismLimits& limits)
      : positions_(std::move(tree)), limits_(limits) {}

  Determinism run() {
    add(positions_.start());
    for (size_t i = 0; i < agenda_.size() && !is_over_; ++i) {
      const Active& active = *agenda_[i];
      const auto n_active =
          static_cast<size_t>(std::ranges::count_if(active, std::not_fn(&Position::is_end)));
      most_active_ = std::max(most_active_, n_active);
      bytes(active);
      tokens(active);
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

  // Tries one byte of each stretch that no range of `active` begins or ends within.
  void bytes(const Active& active) {
    std::vector<std::vector<ByteRange>> ranges;
    std::set<uint32_t> begins;
    for (const Position& position : active) {
      ranges.push_back(positions_.bytes(position));
      for (const ByteRange range : ranges.back()) {
        count_work("analyzing the tree of operators");
        begins.insert(range.lo);
        begins.insert(range.hi + 1u);
      }
    }
    for (const uint32_t begin : begins) {
      if (begin > 0xFF || is_over_) return;
      const auto byte = static_cast<uint8_t>(begin);
      Active takers;
      for (size_t i = 0; i < active.size(); ++i) {
        count_work("analyzing the tree of operators", ranges[i].size());
        if (std::ranges::any_of(ranges[i], [&](ByteRange range) { return range.contains(byte); }))
          takers.push_back(active[i]);
      }
      if (takers.empty()) continue;
      Active after = positions_.advance(takers, byte);
      note_rivals(takers);
      add(std::move(after));
    }
  }

  // Tries one token of each kind that the token edges of `active` tell apart.
  void tokens(const Active& active) {
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
      if (is_over_) return;
      std::vector<size_t> takers;
      for (size_t i = 0; i < edges.size(); ++i) {
        count_work("analyzing the tree of operators");
        if (token ? sets[i]->holds(*token) : sets[i]->is_negated) takers.push_back(i);
      }
      if (takers.empty() || !tried.insert(takers).second) continue;
      Active some;
      for (const size_t i : takers) some.push_back(edges[i]);
      note_rivals(some);
      add(positions_.crossed(some, token));
    }
  }

  void note_rivals(const Active& takers) {
    if (takers.size() > 1 && !rivals_) rivals_ = {takers[0].leaf, takers[1].leaf};
  }

  Positions positions_;
  const DeterminismLimits limits_;
  std::set<Active> known_;
  std::vector<const Active*> agenda_;
  size_t n_words_ = 0;
  size_t most_active_ = 0;
  bool is_over_ = false;
  std::optional<std::pair<OperatorId, OperatorId>> rivals_;
};

}  // namespace

Determinism analyze(std::shared_ptr<const OperatorTree> tree, const DeterminismLimits& limits) {
  return Search(std::move(tree), limits).run();
}

}  // namespace xg2lab::operators
