// Where in the token trie each character begins: what lets a walk leave out text that means nothing to the grammar.
//
// Tests: tests/core/test_free_text.py
//
// IDEA
//   In free text, or within a string, most characters change nothing: the parser stands where it stood. A
//   walk of the trie need visit only the nodes whose character does change something, and these can be
//   listed by their first byte once for a vocabulary. Of the 274,521 nodes of Llama-3 150 are a "<".
//
// REPRESENTATION
//   A node is listed under its byte if it begins a character and all before it is whole characters. It is listed as
//   malformed if some path through it stops being UTF-8 within that character; no path is listed beyond that.
//
// COST      4 bytes a node, and two bits; building is one pass.   THREADS  immutable.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "vocab/token_trie.h"

namespace xg2lab {

class TextNodes {
 public:
  explicit TextNodes(const TokenTrie& trie);

  // Whether the node's path is whole characters.
  bool is_whole(uint32_t node) const { return is_whole_[node]; }
  // Whether the node begins a character, after whole ones.
  bool begins_character(uint32_t node) const { return begins_[node]; }
  // The nodes that do, with this byte. Ascending.
  std::span<const uint32_t> beginning_with(uint8_t byte) const { return by_byte_[byte]; }
  std::span<const uint32_t> malformed() const { return malformed_; }

 private:
  std::vector<bool> is_whole_;
  std::vector<bool> begins_;
  std::array<std::vector<uint32_t>, 256> by_byte_;
  std::vector<uint32_t> malformed_;
};

}  // namespace xg2lab
