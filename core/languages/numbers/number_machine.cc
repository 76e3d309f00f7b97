// Set -> states of the reader (number_reader.h) -> states of the machine. Read: Explorer, which
// lists the reader's states; then fold, which makes the machine's states from the ends of numbers
// backwards, and minimized, for readers with cycles (remainders of division). The trick: without
// cycles, a state is made after all its targets and need only be looked up, so no minimization is
// needed.
#include <algorithm>

#include "automata/code_points_to_bytes.h"
#include "languages/numbers/number_reader.h"
#include "support/budget.h"
#include "support/error.h"
#include "support/hash.h"

namespace xg2lab {
namespace {

constexpr uint32_t kInPool =
    uint32_t{1} << 31;  // marks an edge's target as a state of the pool, not of the reader

constexpr size_t kStatesAtFirst = 64;
constexpr size_t kEdgesAtFirst = 256;

class Explorer {
 public:
  Explorer(const NumberReader& reader, size_t n_most) : reader_(reader), n_most_(n_most) {}

  // Returns false if the reader has more than n_most states.
  bool explore() {
    words_.reserve(kStatesAtFirst * reader_.n_words());
    edges_.reserve(kEdgesAtFirst);
    NumberReader::State first;
    reader_.start(first);
    number_of(first);
    for (uint32_t i = 0; i < n_states_ && n_states_ <= n_most_; ++i) {
      count_work("spelling numbers");
      read_on(i);
    }
    edge_begin_.push_back(edges_.size());
    return n_states_ <= n_most_;
  }

  FrozenFsm fold();
  std::optional<FrozenFsm> minimized(size_t n_most) const;

 private:
  std::span<const uint32_t> state(uint32_t i) const {
    return {words_.data() + i * reader_.n_words(), reader_.n_words()};
  }
  std::span<const StatePool::Edge> edges(uint32_t i) const {
    return {edges_.data() + edge_begin_[i], edge_begin_[i + 1] - edge_begin_[i]};
  }

  // Interns a state in an open-addressing table of numbers; the words of all states lie in one
  // array.
  uint32_t number_of(const NumberReader::State& wanted) {
    if (2 * n_states_ >= slots_.size()) grow();
    size_t slot = hash_of(wanted) & (slots_.size() - 1);
    for (; slots_[slot] != StatePool::kNowhere; slot = (slot + 1) & (slots_.size() - 1)) {
      if (std::ranges::equal(state(slots_[slot]), wanted)) return slots_[slot];
    }
    words_.insert(words_.end(), wanted.begin(), wanted.end());
    return slots_[slot] = n_states_++;
  }

  static uint64_t hash_of(std::span<const uint32_t> state) {
    uint64_t hash = 0;
    for (uint32_t word : state) hash = (hash ^ word) * 0x9e3779b97f4a7c15ull + (hash >> 29);
    return hash_mix(hash);
  }

  void grow() {
    slots_.assign(2 * slots_.size(), StatePool::kNowhere);
    for (uint32_t i = 0; i < n_states_; ++i) {
      size_t slot = hash_of(state(i)) & (slots_.size() - 1);
      while (slots_[slot] != StatePool::kNowhere) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = i;
    }
  }

  // Adds the edges of state i. Digits often lead to the same state as the digit before, which is
  // compared before the table is searched.
  void read_on(uint32_t i) {
    edge_begin_.push_back(edges_.size());
    now_.assign(state(i).begin(), state(i).end());
    StatePool::Edges out;
    if (reader_.read_minus(now_, to_)) out.add('-', number_of(to_));
    if (reader_.read_point(now_, to_)) out.add('.', number_of(to_));
    uint32_t last = StatePool::kNowhere;
    for (uint32_t digit = 0; digit <= 9; ++digit) {
      if (!reader_.read_digit(now_, digit, to_)) continue;
      if (last == StatePool::kNowhere || !std::ranges::equal(state(last), to_))
        last = number_of(to_);
      out.add(static_cast<char>('0' + digit), last);
    }
    const uint32_t behind_e = exponents_.of(reader_.exponents(now_));
    if (behind_e != StatePool::kNowhere) {
      out.add('E', behind_e | kInPool);
      out.add('e', behind_e | kInPool);
    }
    edges_.insert(edges_.end(), out.all().begin(), out.all().end());
    is_accepting_.push_back(reader_.is_accepting(now_));
  }

  const NumberReader& reader_;
  size_t n_most_;
  StatePool pool_;
  ExponentStates exponents_{pool_};
  uint32_t n_states_ = 0;
  std::vector<uint32_t> words_;  // one state after the other
  std::vector<uint32_t> slots_ = std::vector<uint32_t>(256, StatePool::kNowhere);
  std::vector<StatePool::Edge> edges_;
  std::vector<size_t> edge_begin_;
  std::vector<bool> is_accepting_;
  NumberReader::State now_;
  NumberReader::State to_;
};

// Depth-first on an explicit stack: a bound may have thousands of digits.
FrozenFsm Explorer::fold() {
  constexpr uint32_t kUnseen = UINT32_MAX - 2;
  constexpr uint32_t kOpen = UINT32_MAX - 3;
  std::vector<uint32_t> folded(n_states_, kUnseen);
  std::vector<uint32_t> agenda{0};
  while (!agenda.empty()) {
    const uint32_t at = agenda.back();
    // A state is visited twice: first its targets are pushed; once all of them are in the pool, the
    // state is added to the pool too.
    if (folded[at] == kUnseen) {
      folded[at] = kOpen;
      for (const StatePool::Edge& edge : edges(at)) {
        if ((edge.to & kInPool) == 0 && folded[edge.to] == kUnseen) agenda.push_back(edge.to);
      }
      continue;
    }
    agenda.pop_back();
    if (folded[at] != kOpen) continue;
    StatePool::Edges out;
    for (const StatePool::Edge& edge : edges(at)) {
      uint32_t to = edge.to & ~kInPool;
      if ((edge.to & kInPool) == 0) to = to == at ? StatePool::kItself : folded[to];
      XG2LAB_ASSERT(to != kOpen && to != kUnseen,
                    "I2 of number_reader.h: the reader's states don't lead in circles");
      out.add(edge.lo, edge.hi, to);
    }
    folded[at] = pool_.state(is_accepting_[at], out);
  }
  return pool_.frozen(folded[0]);
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
  // The reader's states come first in the combined machine, the states of the pool after them.
  for (uint32_t i = 0; i < n_states_; ++i) {
    add_state(is_accepting_[i]);
    for (const StatePool::Edge& edge : edges(i)) {
      add_edge(edge, (edge.to & kInPool) == 0 ? edge.to : (edge.to & ~kInPool) + n_states_);
    }
  }
  for (uint32_t i = 0; i < pool_.n_states(); ++i) {
    add_state(pool_.is_accepting(i));
    for (const StatePool::Edge& edge : pool_.edges(i)) add_edge(edge, edge.to + n_states_);
  }
  whole.terminal_begin.push_back(static_cast<uint32_t>(whole.terminal_edges.size()));
  return to_bytes(code_points_of(whole), Spelling::kUtf8, n_most);
}

NumberLanguage language_of(const NumberSet& set, const NumberLimits& limits) {
  NumberLanguage language;
  const auto reader = NumberReader::of(set, limits.n_states, language.too_large);
  if (!reader) return language;
  Explorer explorer(*reader, limits.n_states);
  if (explorer.explore()) {
    language.machine = reader->has_cycles() ? explorer.minimized(limits.n_states) : explorer.fold();
  }
  if (!language.machine) language.too_large = reader->what_is_large(limits.n_states);
  return language;
}

}  // namespace

NumberLanguage number_language(const NumberConstraint& constraint, const NumberLimits& limits) {
  const std::optional<NumberSet> set = number_set(constraint);
  if (!set) return {std::nullopt, "the least common multiple of the divisors"};
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
