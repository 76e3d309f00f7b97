// The walk of the token trie: one loop, whatever recognises the bytes.
//
// Tests: tests/unit/mask_walk.cc, tests/differential/test_engine_vs_twin.py,
//        tests/core/test_long_walks.py
//
// IDEA
//   A recogniser enters the trie's nodes from above, each by the node's byte, and gives every node
//   a *verdict*. A dead node's subtree is left out. Nodes that are entered one after the other with
//   equal verdicts are taken together, as one range of tokens. A node with the verdict kLooksCloser
//   is left to the recogniser, which says where the walk goes on.
//
//   Four recognisers use the loop:
//     InsideBeyond   a state's rule, and what may follow it: the entry of a state (inside_beyond.h)
//     BesideHome     the same beside a walk from a home: where both stand in one place, the
//                    verdicts are known (beside_home.h)
//     InColumn       a column: the mask of a configuration (context_walk.h)
//     InRow          a row of items, in every context: walks that contexts share (row_walk.h)
//
//   stay() goes through the subtree of a node at which text leads back to where the recogniser
//   stands (home.h): only the nodes that begin another character are entered.
//
// REPRESENTATION
//   Where the recogniser stands is kept by depth in one flat array. A node reads its parent's
//   place, so nothing is popped.
//
// COST      a load of the node, one of the place above, one of the recogniser's table, one store:
//           for each node.
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

// What a recogniser says of the tokens that end at a node. The numbers from kAccepted to before
// kUnresolved all accept; a recogniser uses several if it takes nodes in several ways.
using Verdict = uint32_t;
inline constexpr Verdict kDeadEnd = 0;        // the subtree is left out
inline constexpr Verdict kAccepted = 1;       // and the walk goes on below
inline constexpr Verdict kUnresolved = 253;   // enter() does not know: resolve() is asked
inline constexpr Verdict kLooksCloser = 254;  // look_closer() decides

template <class R>
class TrieWalker;

template <class R>
concept Recogniser = requires(R recogniser, const typename R::At& at, const TrieNode& entered,
                              uint32_t node, int n_nested, TrieWalker<R>& walker) {
  // The place after the byte of a node, entered from `at`; `node` is the index of `entered`. Fast:
  // a look-up.
  { recogniser.enter(at, entered, node) } -> std::same_as<typename R::At>;
  { R::verdict(at) } -> std::same_as<Verdict>;
  // The same if the verdict on enter()'s place was kUnresolved; never kUnresolved again.
  { recogniser.resolve(at, node) } -> std::same_as<typename R::At>;
  // The nodes from the first to before the second were entered one after the other, all with the
  // verdict of `at`.
  recogniser.take(node, node, at);
  // Decides `node`, and says which node comes next: the one behind it, or the end of its subtree.
  { recogniser.look_closer(walker, node, at, n_nested) } -> std::same_as<uint32_t>;
  // The tokens from the first rank to before the second are text.
  recogniser.take_ranks(node, node);
  { R::kWork } -> std::convertible_to<std::string_view>;
};

template <class R>
class TrieWalker {
 public:
  using At = typename R::At;

  TrieWalker(const TokenTrie& trie, R& recogniser, const At& dead)
      : trie_(trie), recogniser_(recogniser), at_(trie.max_depth() + 1, dead) {}

  const TokenTrie& trie() const { return trie_; }
  // Where the recogniser stands after `depth` bytes.
  const At& at(size_t depth) const { return at_[depth]; }
  void stand_at(size_t depth, const At& at) { at_[depth] = at; }
  // Nodes that were entered.
  uint64_t n_visits() const { return n_visits_; }

  // The nodes from `begin` to before `end`: neighbours with all that is below them. `n_nested`: how
  // deep look_closer() may call the walk again.
  void walk(uint32_t begin, uint32_t end, int n_nested) {
    uint32_t first = begin;  // since here all nodes had `verdict`
    Verdict verdict = kAccepted;
    const TokenTrie& trie = trie_;
    for (uint32_t i = begin; i < end;) {
      const TrieNode& node = trie[i];
      const At& above = at_[node.depth - 1u];
      At here = recogniser_.enter(above, node, i);
      if (R::verdict(here) == verdict) [[likely]] {
        at_[node.depth] = here;
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
      at_[node.depth] = here;
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

  // The subtree of `top`, at which text leads back to `home`: the tokens that stay text are taken,
  // `top`'s own among them; characters that leave the text are walked from `home`, but those that
  // stand right below `top` from `at_top`.
  void stay(uint32_t top, const TextClass& text, const At& at_top, const At& home, int n_nested) {
    const uint32_t end = trie_[top].subtree_end;
    uint32_t rank = trie_[top].first_rank;
    for (uint32_t i = text.next_elsewhere(top + 1, end); i < end;
         i = text.next_elsewhere(trie_[i].subtree_end, end)) {
      recogniser_.take_ranks(rank, trie_[i].first_rank);
      const bool is_child = trie_[i].depth == trie_[top].depth + 1;
      at_[trie_[i].depth - 1u] = is_child ? at_top : home;
      walk(i, trie_[i].subtree_end, n_nested);
      rank = trie_.subtree_end_rank(i);
    }
    recogniser_.take_ranks(rank, trie_.subtree_end_rank(top));
  }

 private:
  void take(uint32_t first, uint32_t end) {
    if (first == end) return;
    n_visits_ += end - first;
    recogniser_.take(first, end, at_[trie_[first].depth]);
  }

  const TokenTrie& trie_;
  R& recogniser_;
  std::vector<At> at_;  // index: depth
  uint64_t n_visits_ = 0;
};

}  // namespace xg2lab
