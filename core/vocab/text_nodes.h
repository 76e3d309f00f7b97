// The trie nodes at which a character begins, so that a walk can skip text that doesn't change the
// parser's column.
//
// Tests: tests/core/test_free_text.py, tests/unit/vocab_text.cc
//
// IDEA
//   In free text or inside a string, most characters lead back to the same column. A walk of the
//   trie need visit only the nodes whose character changes the column, and these nodes can be
//   listed by first byte once for a vocabulary. Of the 274,521 nodes of Llama-3, only 150 are a
//   "<".
//
// REPRESENTATION
//   A node is listed under its byte if it begins a character and its path before that consists of
//   whole characters. The node is listed as malformed if some path through it ceases to be UTF-8
//   within that character; no node beyond such a point is listed. Tokens are also listed by the
//   number of characters that begin in them.
//
// COST      6 bytes and two bits a node, 4 bytes a token; building is one pass.
// THREADS   immutable.
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

  // Whether the node's path consists of whole characters.
  bool is_whole(uint32_t node) const { return is_whole_[node]; }
  // Whether the node begins a character after whole characters.
  bool begins_character(uint32_t node) const { return begins_[node]; }
  // The nodes that begin a character with this byte. Ascending.
  std::span<const uint32_t> beginning_with(uint8_t byte) const { return by_byte_[byte]; }
  std::span<const uint32_t> malformed() const { return malformed_; }
  // The number of nodes that begin a character with none of these first bytes, or a malformed one.
  size_t n_elsewhere(const std::bitset<256>& text) const;
  // The number of characters that begin on the node's path, up to the first malformed one.
  size_t n_characters(uint32_t node) const { return n_characters_[node]; }
  // The most characters that begin in one token.
  size_t most_characters() const { return rank_begin_.size() - 2; }
  // The ranks of the tokens in which at least `least` and at most `most` characters begin.
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
  std::vector<uint32_t> rank_begin_;  // index: number of characters
};

}  // namespace xg2lab
