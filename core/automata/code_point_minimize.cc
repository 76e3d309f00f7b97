// Minimization: merges equivalent letters, drops unreachable states, merges equivalent states.
// Read: minimize, then FromTheEnd, then Partition (Hopcroft). The tricks: if every loop is a
// self-loop, equivalent states are found from the end with one look-up each; otherwise only the
// smaller part of a split block is processed again.
#include <algorithm>
#include <optional>
#include <utility>

#include "automata/code_point_dfa.h"
#include "support/budget.h"
#include "support/interned_rows.h"

namespace xg2lab {
namespace {

// The reachable states, renumbered breadth-first.
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

// Each block of states is a range of one array, which splitting reorders.
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
    // Each round splits the blocks by "leads to `block` on `letter`". The pair is removed from the
    // agenda first, as splitting `block` itself must be able to add it again.
    for (uint32_t n_done = 0; !agenda_.empty(); ++n_done) {
      count_work("minimizing a pattern");
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
    // The start's block comes first; reachable() orders the others.
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
    uint32_t n_marked;  // marked members stand at the front of the block
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
    // Swaps the state behind the marked members, which are at the front of the block.
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

  // Makes the marked part of each touched block a block of its own.
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
      // If (block, letter) still waits, both parts must be processed, and the old part keeps its
      // entry. Otherwise the smaller part suffices, since the blocks are already stable for their
      // union.
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
  std::vector<uint32_t> place_;     // index: state; its index in members_
  std::vector<uint32_t> members_;
  std::vector<uint32_t> touched_;
  std::vector<std::pair<uint32_t, Letter>> agenda_;
  std::vector<bool> is_waiting_;
  std::vector<uint32_t> source_begin_;  // row: letter * n_states + state
  std::vector<uint32_t> sources_;
};

// Minimizes machines in which every loop is a self-loop, as in most patterns. A state is classified
// once all its other targets are. Two states are equivalent if they agree on accepting and on all
// targets, their self-loops being on the same letters. A state b is also equivalent to its target a
// if replacing b by a in b's row gives a's row:
//
//   a loops on x;  b leads to a on x and otherwise where a leads:  b is equivalent to a
class FromTheEnd {
 public:
  explicit FromTheEnd(const CodePointDfa& dfa)
      : dfa_(dfa), n_letters_(dfa.alphabet.n_letters()), class_of_(dfa.n_states(), kNotSeen) {}

  // Nothing if some loop has more than one state.
  std::optional<CodePointDfa> minimal() {
    if (!visit_all()) return std::nullopt;
    CodePointDfa result;
    result.alphabet = dfa_.alphabet;
    const auto n_classes = static_cast<uint32_t>(classes_.size());
    result.is_accepting.clear();
    result.next.reserve(n_classes * n_letters_);
    for (uint32_t number = 0; number < n_classes; ++number) {
      const uint32_t made = numbered(number);
      const auto row = classes_[made];
      result.is_accepting.push_back(row.front() != 0);
      for (uint32_t to : row.subspan(1)) result.next.push_back(numbered(to == kItself ? made : to));
    }
    return result;
  }

 private:
  static constexpr uint32_t kNotSeen = UINT32_MAX;
  static constexpr uint32_t kOpen = UINT32_MAX - 1;
  static constexpr uint32_t kItself = UINT32_MAX;

  // The class numbers with the start's class and class 0 exchanged. The mapping is its own inverse.
  uint32_t numbered(uint32_t made) const {
    const uint32_t start = class_of_[0];
    if (made == start) return 0;
    return made == 0 ? start : made;
  }

  struct Frame {
    uint32_t state;
    Letter letter;
  };
  bool visit_all() {
    std::vector<Frame> open{{0, 0}};
    class_of_[0] = kOpen;
    while (!open.empty()) {
      const auto [state, letter] = open.back();
      if (letter == n_letters_) {
        class_of_[state] = class_for(state);
        open.pop_back();
        continue;
      }
      ++open.back().letter;
      const uint32_t to = dfa_.step(state, letter);
      if (to == state || class_of_[to] < kOpen) continue;
      if (class_of_[to] == kOpen) return false;
      class_of_[to] = kOpen;
      open.push_back({to, 0});
    }
    return true;
  }

  uint32_t class_for(uint32_t state) {
    row_.assign(1, dfa_.is_accepting[state] ? 1 : 0);
    uint32_t last = kItself;
    for (Letter letter = 0; letter < n_letters_; ++letter) {
      const uint32_t to = dfa_.step(state, letter);
      row_.push_back(to == state ? kItself : class_of_[to]);
      if (row_.back() == last || row_.back() == kItself) continue;
      last = row_.back();
      if (loops_[last] && !is_any(tried_, last)) tried_.push_back(last);
    }
    const auto same = std::ranges::find_if(tried_, [this](uint32_t to) { return is_as(to); });
    const bool is_known = same != tried_.end();
    const uint32_t known = is_known ? *same : 0;
    tried_.clear();
    if (is_known) return known;
    const auto [id, is_new] = classes_.add(row_);
    if (is_new) loops_.push_back(is_any(row_, kItself));
    return id;
  }
  static bool is_any(const std::vector<uint32_t>& row, uint32_t one) {
    return std::ranges::find(row, one) != row.end();
  }
  // Whether row_ equals the row of class `other` once row_'s self-loops and edges to `other` are
  // taken as self-loops of `other`.
  bool is_as(uint32_t other) const {
    return std::ranges::equal(row_, classes_[other], [other](uint32_t mine, uint32_t to) {
      return mine == to || (mine == other && to == kItself);
    });
  }

  const CodePointDfa& dfa_;
  const size_t n_letters_;
  std::vector<uint32_t> class_of_;  // index: state
  InternedRows classes_;            // accepting or not, then the target of each letter
  std::vector<bool> loops_;         // index: class
  std::vector<uint32_t> row_;
  std::vector<uint32_t> tried_;
};

}  // namespace

CodePointDfa minimize(const CodePointDfa& dfa) {
  const CodePointDfa small = with_fewer_letters(reachable(dfa));
  if (const auto made = FromTheEnd(small).minimal()) return with_fewer_letters(reachable(*made));
  Partition partition(small);
  partition.refine();
  return with_fewer_letters(reachable(partition.quotient()));
}

}  // namespace xg2lab
