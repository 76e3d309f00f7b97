// For a set of bytes, such as white space: the tokens that consist of these bytes only (runs), and
// the trie nodes at which tokens leave the set. Computed once for a vocabulary, so that a walk over
// such tokens enters only the nodes whose bytes may continue the text.
//
// EXAMPLE   white space in " ", "\n ", "  a", " b", " \"b": the runs are " " and "\n ";
//           tokens leave the set at `  a` by "a", at ` b` by "b", at ` "` by `"`
//
// Tests: tests/core/test_counted_run.py, tests/unit/vocab_text.cc
//
// COST      of a new set: linear in the nodes of the runs and their children.
// THREADS   any: mutex_ guards the list.
#pragma once

#include <bitset>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "vocab/token_trie.h"

namespace xg2lab {

class RunNodes {
 public:
  using Bytes = std::bitset<256>;

  struct Runs {
    // Index: length. The nodes whose path is that many bytes of the set. Ascending.
    std::vector<std::vector<uint32_t>> by_length;
    // The ranks of the tokens that end at these nodes: ascending ranges, half open.
    std::vector<RankRange> tokens;
    // The other children of these nodes, by the byte that leads to them.
    struct Exits {
      uint8_t byte;
      std::vector<uint32_t> nodes;  // ascending
    };
    std::vector<Exits> exits;
  };

  std::shared_ptr<const Runs> of(const TokenTrie& trie, const Bytes& bytes) const;

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<Bytes, std::shared_ptr<const Runs>>> known_;  // newest last
};

}  // namespace xg2lab
