// Where in the token trie a token is nothing but bytes of one set so far, as white space: by length, once for a vocabulary.
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
  using ByLength = std::vector<std::vector<uint32_t>>;  // index: bytes; nodes, ascending

  std::shared_ptr<const ByLength> of(const TokenTrie& trie, const Bytes& bytes) const;

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<Bytes, std::shared_ptr<const ByLength>>> known_;  // the newest last
};

}  // namespace xg2lab
