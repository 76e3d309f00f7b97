// Token classes: the tokens of a vocabulary that are text to a grammar, decided once for all states that read such text.
//
// Tests: tests/core/test_free_text.py
//
// IDEA
//   Inside a string a grammar reads any character but a few, and stands where it stood. Which tokens are made of such
//   characters alone depends on the vocabulary and on those few, not on the grammar: so it is found once, and all strings
//   of all schemas begin with that set. What is left are the tokens in which another character comes. Up to there they are
//   text; so all that matters is what comes from there on, and of that there are few kinds: in Llama-3 1,465 places
//   where a JSON string's text ends with 164 different continuations, 1,214 of these places are control characters.
//
//     string ::= "\"" [^"\\]* "\""        staying: "abc", " the", ...
//                                         exits:   `"` of `x"`, of `."`, ...: one group, walked once
//                                                  `"` of `x",`, of `y",`: another
//
// REPRESENTATION
//   The class of a set of first bytes: a character whose first byte is in the set is text. A node leads elsewhere if it
//   begins a character that isn't, or one that some path through the node breaks off (TextNodes). An exit is such a
//   node with none above it. Exits whose subtrees are equal, by bytes and tokens, form a group.
//
// COST      building: a pass over the places that lead elsewhere; exits, when they are asked for, another. Kept: a bit a
//           node; with exits a row of the bitmask, too.
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
    uint8_t top;        // first byte of its path
    uint16_t n_before;  // characters of its path
  };
  using Group = std::vector<Exit>;  // by n_before, then ascending; the first stands for all

  // All three outlive it.
  TextClass(const Vocabulary& vocabulary, const TokenTrie& trie, const TextNodes& nodes,
            const FirstBytes& text);

  bool leads_elsewhere(uint32_t node) const {
    return ((elsewhere_[node / 64] >> (node % 64)) & 1u) != 0;
  }
  // The first node from `begin` on, and before `end`, that leads elsewhere; `end` if none does.
  uint32_t next_elsewhere(uint32_t begin, uint32_t end) const;
  // The tokens below no exit, as a bitmask.
  std::span<const uint32_t> staying() const { return exits().staying; }
  std::span<const Group> groups() const { return exits().groups; }
  // Nodes of one subtree of each group.
  size_t n_exit_nodes() const { return exits().n_nodes; }

 private:
  struct Exits {
    std::vector<uint32_t> staying;
    std::vector<Group> groups;
    size_t n_nodes = 0;
  };
  const Exits& exits() const;  // made when they are first asked for
  void find_staying(Exits& exits) const;
  void find_groups(Exits& exits) const;

  const Vocabulary& vocabulary_;
  const TokenTrie& trie_;
  const TextNodes& nodes_;
  std::vector<uint64_t> elsewhere_;  // bit: trie node
  mutable MadeOnce<const Exits> exits_;
};

// The classes of one vocabulary, made when they are first asked for.
class TextClasses {
 public:
  std::shared_ptr<const TextClass> of(const Vocabulary& vocabulary, const TokenTrie& trie,
                                      const TextNodes& nodes, const FirstBytes& text) const;

 private:
  struct Known {
    FirstBytes text;
    std::shared_ptr<const TextClass> made;
  };
  mutable std::mutex mutex_;
  mutable std::vector<Known> known_;  // the last used last
};

}  // namespace xg2lab
