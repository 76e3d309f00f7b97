// Set -> rows (number_rows.h) -> states. Read: Explorer, which lists all rows; then fold, which
// makes states from the ends of numbers backwards, and minimized, for rows with cycles (remainders
// of division). The trick: without cycles, a state is made after all its targets and need only be
// looked up, so no minimization is needed.
#include <algorithm>

#include "automata/code_points_to_bytes.h"
#include "languages/numbers/number_rows.h"
#include "support/budget.h"
#include "support/error.h"
#include "support/hash.h"

namespace xg2lab {
namespace {

constexpr uint32_t kNowhere = StatePool::kNowhere;
constexpr uint32_t kInPool = uint32_t{1}
                             << 31;  // marks an edge's target as a state of the pool, not a row

constexpr size_t kRowsAtFirst = 64;
constexpr size_t kEdgesAtFirst = 256;

class Explorer {
 public:
  Explorer(const NumberRows& rows, size_t n_most) : rows_(rows), n_most_(n_most) {}

  // Returns false if there are more than n_most rows.
  bool explore() {
    words_.reserve(kRowsAtFirst * rows_.n_words());
    edges_.reserve(kEdgesAtFirst);
    NumberRows::Row first;
    rows_.start(first);
    number_of(first);
    for (uint32_t i = 0; i < n_rows_ && n_rows_ <= n_most_; ++i) {
      count_work("spelling numbers");
      read_on(i);
    }
    edge_begin_.push_back(edges_.size());
    return n_rows_ <= n_most_;
  }

  FrozenFsm fold();
  std::optional<FrozenFsm> minimized(size_t n_most) const;

 private:
  std::span<const uint32_t> row(uint32_t i) const {
    return {words_.data() + i * rows_.n_words(), rows_.n_words()};
  }
  std::span<const StatePool::Edge> edges(uint32_t i) const {
    return {edges_.data() + edge_begin_[i], edge_begin_[i + 1] - edge_begin_[i]};
  }

  // Interns a row in an open-addressing table of row numbers; the words of all rows lie in one
  // array.
  uint32_t number_of(const NumberRows::Row& wanted) {
    if (2 * n_rows_ >= slots_.size()) grow();
    size_t slot = hash_of(wanted) & (slots_.size() - 1);
    for (; slots_[slot] != kNowhere; slot = (slot + 1) & (slots_.size() - 1)) {
      if (std::ranges::equal(row(slots_[slot]), wanted)) return slots_[slot];
    }
    words_.insert(words_.end(), wanted.begin(), wanted.end());
    return slots_[slot] = n_rows_++;
  }

  static uint64_t hash_of(std::span<const uint32_t> row) {
    uint64_t hash = 0;
    for (uint32_t word : row) hash = (hash ^ word) * 0x9e3779b97f4a7c15ull + (hash >> 29);
    return hash_mix(hash);
  }

  void grow() {
    slots_.assign(2 * slots_.size(), kNowhere);
    for (uint32_t i = 0; i < n_rows_; ++i) {
      size_t slot = hash_of(row(i)) & (slots_.size() - 1);
      while (slots_[slot] != kNowhere) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = i;
    }
  }

  // Adds the edges of row i. Digits often lead to the same row as the digit before, which is
  // compared before the table is searched.
  void read_on(uint32_t i) {
    edge_begin_.push_back(edges_.size());
    now_.assign(row(i).begin(), row(i).end());
    StatePool::Edges out;
    if (rows_.read_minus(now_, to_)) out.add('-', number_of(to_));
    if (rows_.read_point(now_, to_)) out.add('.', number_of(to_));
    uint32_t last = kNowhere;
    for (uint32_t digit = 0; digit <= 9; ++digit) {
      if (!rows_.read_digit(now_, digit, to_)) continue;
      if (last == kNowhere || !std::ranges::equal(row(last), to_)) last = number_of(to_);
      out.add(static_cast<char>('0' + digit), last);
    }
    const uint32_t behind_e = exponents_.of(rows_.exponents(now_));
    if (behind_e != kNowhere) {
      out.add('E', behind_e | kInPool);
      out.add('e', behind_e | kInPool);
    }
    edges_.insert(edges_.end(), out.all().begin(), out.all().end());
    is_accepting_.push_back(rows_.is_accepting(now_));
  }

  const NumberRows& rows_;
  size_t n_most_;
  StatePool pool_;
  ExponentStates exponents_{pool_};
  uint32_t n_rows_ = 0;
  std::vector<uint32_t> words_;  // one row after the other
  std::vector<uint32_t> slots_ = std::vector<uint32_t>(256, kNowhere);
  std::vector<StatePool::Edge> edges_;
  std::vector<size_t> edge_begin_;
  std::vector<bool> is_accepting_;
  NumberRows::Row now_;
  NumberRows::Row to_;
};

// Depth-first on an explicit stack: a bound may have thousands of digits.
FrozenFsm Explorer::fold() {
  constexpr uint32_t kUnseen = UINT32_MAX - 2;
  constexpr uint32_t kOpen = UINT32_MAX - 3;
  std::vector<uint32_t> state(n_rows_, kUnseen);
  std::vector<uint32_t> agenda{0};
  while (!agenda.empty()) {
    const uint32_t at = agenda.back();
    // A row is visited twice: first its targets are pushed, then, once all of them are states, the
    // row becomes a state itself.
    if (state[at] == kUnseen) {
      state[at] = kOpen;
      for (const StatePool::Edge& edge : edges(at)) {
        if ((edge.to & kInPool) == 0 && state[edge.to] == kUnseen) agenda.push_back(edge.to);
      }
      continue;
    }
    agenda.pop_back();
    if (state[at] != kOpen) continue;
    StatePool::Edges out;
    for (const StatePool::Edge& edge : edges(at)) {
      uint32_t to = edge.to & ~kInPool;
      if ((edge.to & kInPool) == 0) to = to == at ? StatePool::kItself : state[to];
      XG2LAB_ASSERT(to != kOpen && to != kUnseen,
                    "I2 of number_rows.h: rows don't lead in circles");
      out.add(edge.lo, edge.hi, to);
    }
    state[at] = pool_.state(is_accepting_[at], out);
  }
  return pool_.frozen(state[0]);
}

std::optional<FrozenFsm> Explorer::minimized(size_t n_most) const {
  FrozenFsm whole;
  const auto add_state = [&whole](bool is_accepting) {
    whole.terminal_begin.push_back(static_cast<uint32_t>(whole.terminal_edges.size()));
    whole.is_accepting.push_back(is_accepting);
  };
  const auto add_edge = [&whole](const StatePool::Edge& edge, uint32_t to) {
    whole.terminal_edges.push_back({{edge.lo, edge.hi}, StateId(to), OriginSetId(0u)});
  };
  // The rows come first in the combined machine, the states of the pool after them.
  for (uint32_t i = 0; i < n_rows_; ++i) {
    add_state(is_accepting_[i]);
    for (const StatePool::Edge& edge : edges(i)) {
      add_edge(edge, (edge.to & kInPool) == 0 ? edge.to : (edge.to & ~kInPool) + n_rows_);
    }
  }
  for (uint32_t i = 0; i < pool_.n_states(); ++i) {
    add_state(pool_.is_accepting(i));
    for (const StatePool::Edge& edge : pool_.edges(i)) add_edge(edge, edge.to + n_rows_);
  }
  whole.terminal_begin.push_back(static_cast<uint32_t>(whole.terminal_edges.size()));
  return to_bytes(code_points_of(whole), Spelling::kUtf8, n_most);
}

NumberLanguage language_of(const NumberSet& set, const NumberLimits& limits) {
  NumberLanguage language;
  const auto rows = NumberRows::of(set, limits.n_states, language.too_large);
  if (!rows) return language;
  Explorer explorer(*rows, limits.n_states);
  if (explorer.explore()) {
    language.machine = rows->has_cycles() ? explorer.minimized(limits.n_states) : explorer.fold();
  }
  if (!language.machine) language.too_large = rows->what_is_large(limits.n_states);
  return language;
}

}  // namespace

NumberLanguage number_language(const NumberConstraint& constraint, const NumberLimits& limits) {
  const std::optional<NumberSet> set = number_set(constraint);
  if (!set) return {std::nullopt, "the least common multiple of the steps"};
  return language_of(*set, limits);
}

NumberLanguage values_language(std::span<const Decimal> values, const NumberLimits& limits) {
  return language_of(set_of(values), limits);
}

CodePointDfa code_points_of(const FrozenFsm& ascii) {
  std::vector<CodePointSet> sets;
  for (const TerminalEdge& edge : ascii.terminal_edges) {
    const CodePointSet set{{edge.range.lo, edge.range.hi}};
    if (std::find(sets.begin(), sets.end(), set) == sets.end()) sets.push_back(set);
  }
  CodePointDfa dfa;
  dfa.alphabet = Alphabet(sets);
  const size_t n_letters = dfa.alphabet.n_letters();
  const auto failed = static_cast<uint32_t>(ascii.n_states());
  dfa.is_accepting = ascii.is_accepting;
  dfa.is_accepting.push_back(false);
  dfa.next.assign((ascii.n_states() + 1) * n_letters, failed);
  std::vector<std::vector<bool>> letters;
  for (const CodePointSet& set : sets) letters.push_back(dfa.alphabet.letters_in(set));
  for (size_t state = 0; state < ascii.n_states(); ++state) {
    for (uint32_t i = ascii.terminal_begin[state]; i < ascii.terminal_begin[state + 1]; ++i) {
      const TerminalEdge& edge = ascii.terminal_edges[i];
      const CodePointSet set{{edge.range.lo, edge.range.hi}};
      const auto& in =
          letters[static_cast<size_t>(std::find(sets.begin(), sets.end(), set) - sets.begin())];
      for (size_t letter = 0; letter < n_letters; ++letter) {
        if (in[letter]) dfa.next[state * n_letters + letter] = edge.to.value;
      }
    }
  }
  return minimize(dfa);
}

}  // namespace xg2lab
