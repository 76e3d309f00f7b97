// For a set of bytes, such as white space: the trie nodes whose paths consist of these bytes only,
// and the children at which a token leaves the set. Computed once for a vocabulary, so that a walk
// over such tokens visits only these nodes.
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
    // These nodes and their other children, ascending.
    struct Node {
      uint32_t node;
      bool is_run;
    };
    std::vector<Node> nodes;
  };

  std::shared_ptr<const Runs> of(const TokenTrie& trie, const Bytes& bytes) const;

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<Bytes, std::shared_ptr<const Runs>>> known_;  // newest last
};

}  // namespace xg2lab
