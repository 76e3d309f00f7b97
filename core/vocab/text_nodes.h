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
//   Tokens are also listed by the number of characters that they begin.
//
// COST      6 bytes a node and two bits, 4 bytes a token; building is one pass.   THREADS  immutable.
#pragma once

#include <array>
#include <bitset>
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
  // Nodes that begin other characters than those with these first bytes, or malformed ones.
  size_t n_elsewhere(const std::bitset<256>& text) const;
  // Characters that begin on the node's path, up to the first that is malformed.
  size_t n_characters(uint32_t node) const { return n_characters_[node]; }
  // Of the longest token.
  size_t most_characters() const { return rank_begin_.size() - 2; }
  // The ranks of the tokens that begin so many characters: at least `least`, at most `most`.
  std::span<const uint32_t> ranks_by_length(size_t least, size_t most) const {
    return std::span(ranks_by_length_)
        .subspan(rank_begin_[least], rank_begin_[most + 1] - rank_begin_[least]);
  }

 private:
  void list_by_length(const TokenTrie& trie);

  std::vector<bool> is_whole_;
  std::vector<bool> begins_;
  std::array<std::vector<uint32_t>, 256> by_byte_;
  std::vector<uint32_t> malformed_;
  std::vector<uint16_t> n_characters_;
  std::vector<uint32_t> ranks_by_length_;
  std::vector<uint32_t> rank_begin_;  // index: characters
};

}  // namespace xg2lab
