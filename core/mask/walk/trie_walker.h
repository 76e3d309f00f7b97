// The walk of the token trie: one loop for all recognisers.
//
// Tests: tests/unit/mask_walk.cc, tests/differential/test_engine_vs_twin.py,
//        tests/core/test_long_walks.py
//
// IDEA
//   A recogniser reads the bytes of the trie's nodes from the root downwards, and gives every node
//   a *verdict*. The subtree of a dead node is skipped. Consecutive nodes with equal verdicts are
//   taken together, as one range of tokens. A node with the verdict kLooksCloser is decided by the
//   recogniser, which also returns the node where the walk continues.
//
//   Four recognisers use the loop:
//     InsideBeyond   a state's rule, and what may follow the rule: the entry of a state
//                    (inside_beyond.h)
//     BesideHome     the same beside a known walk from a home: where both walks are in one state,
//                    the verdicts are known (beside_home.h)
//     InColumn       a column: the mask of a configuration (context_walk.h)
//     InRow          an LR(0) set, in every context: walks that contexts share (row_walk.h)
//
//   stay() walks the subtree of a node at which text leads back to the recogniser's state (home.h):
//   only nodes that begin a character outside the text are entered.
//
// REPRESENTATION
//   The states of the recogniser are kept by depth in one flat array. A node reads the state of its
//   parent, so leaving a subtree needs no pop.
//
// COST      for each node: a load of the node, a load of the parent's state, a load of the
//           recogniser's table, and one store.
// THREADS   of one walk.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/budget.h"
#include "vocab/text_class.h"
#include "vocab/token_trie.h"
#include "vocab/vocabulary.h"

namespace xg2lab {

// The verdict of a recogniser on the tokens that end at a node. All numbers from kAccepted to
// kUnresolved - 1 accept; a recogniser uses several of them if it must distinguish accepted nodes.
using Verdict = uint32_t;
inline constexpr Verdict kDeadEnd = 0;        // the subtree is skipped
inline constexpr Verdict kAccepted = 1;       // accepted; the walk enters its children
inline constexpr Verdict kUnresolved = 253;   // enter() cannot tell: resolve() is called
inline constexpr Verdict kLooksCloser = 254;  // look_closer() decides

template <class R>
class TrieWalker;

template <class R>
concept Recogniser = requires(R recogniser, const typename R::State& state, const TrieNode& entered,
                              uint32_t node, int n_nested, TrieWalker<R>& walker) {
  // The state after the byte of a node, entered from `state`; `node` is the index of `entered`.
  // This must be fast: a look-up.
  { recogniser.enter(state, entered, node) } -> std::same_as<typename R::State>;
  { R::verdict(state) } -> std::same_as<Verdict>;
  // The same, called if the verdict of enter()'s state is kUnresolved; never returns kUnresolved.
  { recogniser.resolve(state, node) } -> std::same_as<typename R::State>;
  // Takes the nodes [first, second), which were entered one after the other with the verdict of
  // `state`.
  recogniser.take(node, node, state);
  // Decides `node`, and returns the node that comes next: the one after `node`, or the end of the
  // subtree.
  { recogniser.look_closer(walker, node, state, n_nested) } -> std::same_as<uint32_t>;
  // Takes the tokens with ranks [first, second), which are text.
  recogniser.take_ranks(node, node);
  { R::kWork } -> std::convertible_to<std::string_view>;
};

template <class R>
class TrieWalker {
 public:
  using State = typename R::State;

  TrieWalker(const TokenTrie& trie, R& recogniser, const State& dead)
      : trie_(trie), recogniser_(recogniser), states_(trie.max_depth() + 1, dead) {}

  const TokenTrie& trie() const { return trie_; }
  // The state of the recogniser after `depth` bytes.
  const State& state(size_t depth) const { return states_[depth]; }
  void set_state(size_t depth, const State& state) { states_[depth] = state; }
  // The number of nodes that were entered.
  uint64_t n_visits() const { return n_visits_; }

  // Walks the nodes [begin, end): siblings with their subtrees. `n_nested`: how deep look_closer()
  // may call the walk again.
  void walk(uint32_t begin, uint32_t end, int n_nested) {
    uint32_t first = begin;  // the nodes from here on had `verdict`
    Verdict verdict = kAccepted;
    const TokenTrie& trie = trie_;
    for (uint32_t i = begin; i < end;) {
      const TrieNode& node = trie[i];
      const State& above = states_[node.depth - 1u];
      State here = recogniser_.enter(above, node, i);
      if (R::verdict(here) == verdict) [[likely]] {
        states_[node.depth] = here;
        ++i;
        continue;
      }
      take(first, i);
      first = i;
      if (R::verdict(here) == kUnresolved) [[unlikely]]
        here = recogniser_.resolve(above, i);
      const Verdict other = R::verdict(here);
      if (other == kDeadEnd) {
        ++n_visits_;
        first = i = node.subtree_end;
        continue;
      }
      states_[node.depth] = here;
      if (other == kLooksCloser) {
        ++n_visits_;
        first = i = recogniser_.look_closer(*this, i, here, n_nested);
        continue;
      }
      verdict = other;
      ++i;
    }
    take(first, end);
    count_work(R::kWork, end - begin);
  }

  // Walks the subtree of `top`, at which text leads back to the state `home`. The tokens that stay
  // text are taken, the tokens that end at `top` among them. Characters that leave the text are
  // walked from `home`, or from `at_top` if they begin right below `top`.
  void stay(uint32_t top, const TextClass& text, const State& at_top, const State& home,
            int n_nested) {
    const uint32_t end = trie_[top].subtree_end;
    uint32_t rank = trie_[top].first_rank;
    for (uint32_t i = text.next_elsewhere(top + 1, end); i < end;
         i = text.next_elsewhere(trie_[i].subtree_end, end)) {
      recogniser_.take_ranks(rank, trie_[i].first_rank);
      const bool is_child = trie_[i].depth == trie_[top].depth + 1;
      states_[trie_[i].depth - 1u] = is_child ? at_top : home;
      walk(i, trie_[i].subtree_end, n_nested);
      rank = trie_.subtree_end_rank(i);
    }
    recogniser_.take_ranks(rank, trie_.subtree_end_rank(top));
  }

 private:
  void take(uint32_t first, uint32_t end) {
    if (first == end) return;
    n_visits_ += end - first;
    recogniser_.take(first, end, states_[trie_[first].depth]);
  }

  const TokenTrie& trie_;
  R& recogniser_;
  std::vector<State> states_;  // index: depth
  uint64_t n_visits_ = 0;
};

}  // namespace xg2lab
