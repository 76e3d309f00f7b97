// Where in the token trie a token is nothing but bytes of one set so far, as white space, and where it goes on as something else:
// once for a vocabulary, so that a walk of these tokens looks at no more of them than it has to.
//
// Tests: tests/core/test_counted_run.py
//
// COST      of a new set: the nodes that are runs, and their children.   THREADS  any: mutex_ guards the list.
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
    // Index: bytes. The nodes of so many bytes of the set, and no others. Ascending.
    std::vector<std::vector<uint32_t>> by_length;
    // All of these and their other children, ascending.
    struct Node {
      uint32_t node;
      bool is_run;
    };
    std::vector<Node> nodes;
  };

  std::shared_ptr<const Runs> of(const TokenTrie& trie, const Bytes& bytes) const;

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<Bytes, std::shared_ptr<const Runs>>> known_;  // the newest last
};

}  // namespace xg2lab
