// Token classes: the tokens that consist of a grammar's free text alone, computed once for all
// states that read such text.
//
// Tests: tests/core/test_free_text.py, tests/unit/vocab_text.cc
//
// IDEA
//   Inside a string, a grammar reads any character except a few, and every such character leads
//   back to the same column. Which tokens consist of such characters alone depends on the
//   vocabulary and on the excluded characters, not on the grammar. So this set is computed once,
//   and the masks of all strings of all schemas start from it. The other tokens leave the text at
//   some character; up to there they are text, so only the suffix from that character on matters,
//   and few different suffixes exist. In Llama-3 the text of a JSON string ends at 1,465 trie nodes
//   with 164 different subtrees; 1,214 of these nodes are control characters.
//
//   string ::= "\"" [^"\\]* "\""        staying: "abc", " the", ...
//                                       exits:   `"` of `x"`, of `."`, ...: one class, walked once
//                                                `"` of `x",`, of `y",`: another class
//
// REPRESENTATION
//   A class is given by a set of first bytes: a character whose first byte is in the set is text. A
//   node leaves the text if it begins a character that is not text, or a character that some path
//   through the node leaves incomplete (TextNodes). An exit is a node that leaves the text and has
//   no ancestor that does. Exits with equal subtrees (bytes and tokens) form an exit class.
//
// COST      building: one pass over the nodes that leave the text; the exits, made when first asked
//           for, take another. Memory: a bit for each node; with exits, also one row of the
//           bitmask.
// THREADS   any: exits are made once. TextClasses: any thread; mutex_ guards the list.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "support/made_once.h"
#include "vocab/text_nodes.h"
#include "vocab/token_trie.h"
#include "vocab/vocabulary.h"

namespace xg2lab {

using FirstBytes = std::bitset<256>;

class TextClass {
 public:
  struct Exit {
    uint32_t node;
    uint8_t top;        // first byte of the exit's path
    uint16_t n_before;  // characters on the path before the exit
  };
  // Exits with equal subtrees, ordered by n_before, then by node; the first represents all.
  using ExitClass = std::vector<Exit>;

  // The arguments passed by reference must outlive the class.
  TextClass(const Vocabulary& vocabulary, const TokenTrie& trie, const TextNodes& nodes,
            const FirstBytes& text);

  bool leads_elsewhere(uint32_t node) const {
    return ((elsewhere_[node / 64] >> (node % 64)) & 1u) != 0;
  }
  // The first node in [begin, end) that leaves the text; `end` if there is none.
  uint32_t next_elsewhere(uint32_t begin, uint32_t end) const;
  // The tokens below no exit, as a bitmask.
  std::span<const uint32_t> staying() const { return exits().staying; }
  std::span<const ExitClass> exit_classes() const { return exits().classes; }
  // The total number of nodes in one subtree of each exit class.
  size_t n_exit_nodes() const { return exits().n_nodes; }

 private:
  struct Exits {
    std::vector<uint32_t> staying;
    std::vector<ExitClass> classes;
    size_t n_nodes = 0;
  };
  const Exits& exits() const;  // made when first asked for
  void find_staying(Exits& exits) const;
  void find_exit_classes(Exits& exits) const;

  const Vocabulary& vocabulary_;
  const TokenTrie& trie_;
  const TextNodes& nodes_;
  std::vector<uint64_t> elsewhere_;  // bit: trie node
  mutable MadeOnce<const Exits> exits_;
};

// The token classes of one vocabulary, made on first use.
class TextClasses {
 public:
  std::shared_ptr<const TextClass> of(const Vocabulary& vocabulary, const TokenTrie& trie,
                                      const TextNodes& nodes, const FirstBytes& text) const;

 private:
  struct KnownClass {
    FirstBytes text;
    std::shared_ptr<const TextClass> made;
  };
  mutable std::mutex mutex_;
  mutable std::vector<KnownClass> known_;  // most recently used last
};

}  // namespace xg2lab
