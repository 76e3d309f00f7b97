// The smallest machine: letters that do the same become one, unreachable states go, equal states become one.
// Read: minimize, then Partition (Hopcroft's splitting of blocks).
// The trick: of the two parts of a split block only the smaller is looked at again.
#include <algorithm>
#include <utility>

#include "automata/code_point_dfa.h"
#include "support/deadline.h"
#include "support/interned_rows.h"

namespace xg2lab {
namespace {

// States that can be reached, renumbered in the order of breadth-first search.
CodePointDfa reachable(const CodePointDfa& dfa) {
  const size_t n_letters = dfa.alphabet.n_letters();
  constexpr uint32_t kUnseen = UINT32_MAX;
  std::vector<uint32_t> number(dfa.n_states(), kUnseen);
  std::vector<uint32_t> order{0};
  number[0] = 0;
  CodePointDfa result;
  result.alphabet = dfa.alphabet;
  result.is_accepting.clear();
  result.next.reserve(dfa.next.size());
  for (size_t i = 0; i < order.size(); ++i) {
    result.is_accepting.push_back(dfa.is_accepting[order[i]]);
    for (Letter letter = 0; letter < n_letters; ++letter) {
      const uint32_t to = dfa.step(order[i], letter);
      if (number[to] == kUnseen) {
        number[to] = static_cast<uint32_t>(order.size());
        order.push_back(to);
      }
      result.next.push_back(number[to]);
    }
  }
  return result;
}

CodePointDfa with_fewer_letters(const CodePointDfa& dfa) {
  const size_t n_letters = dfa.alphabet.n_letters();
  InternedRows columns;
  std::vector<uint32_t> column(dfa.n_states());
  std::vector<Letter> merged(n_letters);
  std::vector<Letter> kept;
  for (Letter letter = 0; letter < n_letters; ++letter) {
    for (uint32_t s = 0; s < dfa.n_states(); ++s) column[s] = dfa.step(s, letter);
    const auto [row, is_new] = columns.add(column);
    if (is_new) kept.push_back(letter);
    merged[letter] = row;
  }
  if (kept.size() == n_letters) return dfa;
  CodePointDfa result;
  result.alphabet = dfa.alphabet.with_merged(merged, kept.size());
  result.is_accepting = dfa.is_accepting;
  for (uint32_t s = 0; s < dfa.n_states(); ++s) {
    for (Letter letter : kept) result.next.push_back(dfa.step(s, letter));
  }
  return result;
}

// Blocks of states are ranges of one array, which splitting reorders.
class Partition {
 public:
  explicit Partition(const CodePointDfa& dfa)
      : dfa_(dfa), block_of_(dfa.n_states()), place_(dfa.n_states()), members_(dfa.n_states()) {
    const auto n_states = static_cast<uint32_t>(dfa.n_states());
    for (uint32_t s = 0; s < n_states; ++s) members_[s] = place_[s] = s;
    blocks_.push_back({0, n_states, 0});
    for (uint32_t s = 0; s < n_states; ++s) {
      if (dfa.is_accepting[s]) mark(s);
    }
    collect_sources();
    split_marked(true);
    if (blocks_.size() == 1) push(0);
  }

  void refine() {
    std::vector<uint32_t> sources;
    for (uint32_t n_done = 0; !agenda_.empty(); ++n_done) {
      if (n_done % 1024 == 0) check_deadline("minimizing a pattern");
      const auto [block, letter] = agenda_.back();
      agenda_.pop_back();
      is_waiting_[block * dfa_.alphabet.n_letters() + letter] = false;
      sources.clear();
      for (uint32_t i = blocks_[block].begin; i < blocks_[block].end; ++i) {
        const size_t row = letter * dfa_.n_states() + members_[i];
        for (uint32_t j = source_begin_[row]; j < source_begin_[row + 1]; ++j) {
          sources.push_back(sources_[j]);
        }
      }
      for (uint32_t source : sources) mark(source);
      split_marked(false);
    }
  }

  CodePointDfa quotient() const {
    CodePointDfa result;
    result.alphabet = dfa_.alphabet;
    result.is_accepting.clear();
    // The start's block first: reachable() puts the others in order.
    std::vector<uint32_t> order{block_of_[0]};
    for (uint32_t b = 0; b < blocks_.size(); ++b) {
      if (b != block_of_[0]) order.push_back(b);
    }
    std::vector<uint32_t> number(blocks_.size());
    for (uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
    for (uint32_t b : order) {
      const uint32_t state = members_[blocks_[b].begin];
      result.is_accepting.push_back(dfa_.is_accepting[state]);
      for (Letter letter = 0; letter < dfa_.alphabet.n_letters(); ++letter) {
        result.next.push_back(number[block_of_[dfa_.step(state, letter)]]);
      }
    }
    return result;
  }

 private:
  struct Block {
    uint32_t begin;
    uint32_t end;
    uint32_t n_marked;  // the first of its members
  };

  void collect_sources() {
    const size_t n_letters = dfa_.alphabet.n_letters();
    source_begin_.assign(n_letters * dfa_.n_states() + 1, 0);
    const auto each = [&](auto&& f) {
      for (uint32_t s = 0; s < dfa_.n_states(); ++s) {
        for (Letter l = 0; l < n_letters; ++l) f(l * dfa_.n_states() + dfa_.step(s, l), s);
      }
    };
    each([&](size_t row, uint32_t) { ++source_begin_[row + 1]; });
    for (size_t i = 1; i < source_begin_.size(); ++i) source_begin_[i] += source_begin_[i - 1];
    sources_.resize(source_begin_.back());
    std::vector<uint32_t> at(source_begin_.begin(), source_begin_.end() - 1);
    each([&](size_t row, uint32_t s) { sources_[at[row]++] = s; });
  }

  void mark(uint32_t state) {
    const uint32_t block = block_of_[state];
    const uint32_t border = blocks_[block].begin + blocks_[block].n_marked;
    if (place_[state] < border) return;
    if (blocks_[block].n_marked++ == 0) touched_.push_back(block);
    const uint32_t other = members_[border];
    std::swap(members_[border], members_[place_[state]]);
    std::swap(place_[state], place_[other]);
  }

  void push(uint32_t block) {
    const size_t n_letters = dfa_.alphabet.n_letters();
    is_waiting_.resize(std::max(is_waiting_.size(), (block + 1) * n_letters));
    for (Letter letter = 0; letter < n_letters; ++letter) push(block, letter);
  }

  void push(uint32_t block, Letter letter) {
    const size_t key = block * dfa_.alphabet.n_letters() + letter;
    is_waiting_.resize(std::max(is_waiting_.size(), key + dfa_.alphabet.n_letters()));
    if (is_waiting_[key]) return;
    is_waiting_[key] = true;
    agenda_.emplace_back(block, letter);
  }

  // The marked part of each touched block becomes a block of its own.
  void split_marked(bool is_first) {
    for (uint32_t block : touched_) {
      Block& old = blocks_[block];
      const uint32_t n_marked = std::exchange(old.n_marked, 0);
      if (n_marked == old.end - old.begin) continue;
      const auto made = static_cast<uint32_t>(blocks_.size());
      const Block marked{old.begin, old.begin + n_marked, 0};
      old.begin += n_marked;
      const uint32_t n_left = old.end - old.begin;
      blocks_.push_back(marked);  // invalidates old
      for (uint32_t i = marked.begin; i < marked.end; ++i) block_of_[members_[i]] = made;
      const uint32_t smaller = n_marked <= n_left ? made : block;
      if (is_first) {
        push(smaller);
        continue;
      }
      for (Letter letter = 0; letter < dfa_.alphabet.n_letters(); ++letter) {
        const size_t key = block * dfa_.alphabet.n_letters() + letter;
        const bool waits = key < is_waiting_.size() && is_waiting_[key];
        push(waits ? made : smaller, letter);
      }
    }
    touched_.clear();
  }

  const CodePointDfa& dfa_;
  std::vector<Block> blocks_;
  std::vector<uint32_t> block_of_;  // index: state
  std::vector<uint32_t> place_;     // index: state. Where it stands in members_
  std::vector<uint32_t> members_;
  std::vector<uint32_t> touched_;
  std::vector<std::pair<uint32_t, Letter>> agenda_;
  std::vector<bool> is_waiting_;
  std::vector<uint32_t> source_begin_;  // row: letter * n_states + state
  std::vector<uint32_t> sources_;
};

}  // namespace

CodePointDfa minimize(const CodePointDfa& dfa) {
  const CodePointDfa small = with_fewer_letters(reachable(dfa));
  Partition partition(small);
  partition.refine();
  return with_fewer_letters(reachable(partition.quotient()));
}

}  // namespace xg2lab
