// The vocabulary: the bytes of each token id, and the byte order of the text tokens.
//
// Twin:  xg2lab/reference/trie.py
// Tests: tests/vocab/test_vocabulary.py, tests/vocab/test_real_vocabularies.py
//
// IDEA
//   Grammars are about bytes, models about token ids. The vocabulary maps ids to bytes, and defines
//   the order in which the engine visits tokens: sorted by bytes, so that tokens with a common
//   prefix are neighbours. A token's position in this order is its rank.
//
//      tokens    0 "b"   1 "</s>" (stop)   2 "ab"   3 "a"   4 "ab"   5 ""      6 (padding)
//      kind        text    stop              text     text    text     empty     padding
//      ranks     0: id 3 "a"    1: id 2 "ab"    2: id 4 "ab"    3: id 0 "b"
//      common prefix with the rank before:  0, 1, 2, 0
//
//   If a grammar permits "a", token 3 may be chosen. Token 1 may not, even if a grammar permits the
//   text "</s>": stop and special tokens are not text.
//
// REPRESENTATION
//   The bytes of all ids, one after another, in one blob with an offset for each id.
//
// INVARIANTS
//   I1  offsets_.size() == n_tokens() + 1, ascending; bytes(id) = blob_[offsets_[id],
//       offsets_[id+1])
//   I2  token_at is a bijection between ranks and the ids of kind kText
//   I3  r < s  =>  (bytes_at(r), token_at(r)) < (bytes_at(s), token_at(s)), bytes as unsigned
//   I4  common_prefix(r) = length of the longest common prefix of bytes_at(r-1) and bytes_at(r);
//       common_prefix(0) = 0
//   I5  a token has at most 65,535 bytes
//
// COST      building: one sort, O(n log n). find and longest_match: binary searches. All other
//           functions: O(1).
// THREADS   immutable after construction; any number of threads may read.
// NOT HERE  how encoded token texts become bytes (decode.h), the prefix tree (token_trie.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/ids.h"

namespace xg2lab {

enum class TokenKind : uint8_t {
  kText,     // matches as its bytes
  kSpecial,  // a control token: never matches as text, although it has bytes for display
  kStop,     // ends generation; never matches as text
  kPadding,  // an id without a token: the logits are wider than the tokenizer
  kEmpty,    // a token without bytes: it would not advance the parse, so it is never allowed
};

const char* token_kind_name(TokenKind kind);  // "text", "special", "stop", "padding", "empty"

// The input of a Vocabulary. An id that occurs in several lists has the first of these kinds: stop,
// special, padding.
struct VocabularySpec {
  std::vector<std::string> tokens;   // bytes by id
  size_t n_tokens = 0;               // width of the logits; ids from tokens.size() are padding
  std::vector<TokenId> stop_tokens;  // in any order
  std::vector<TokenId> special_tokens;
  std::vector<TokenId> padding_tokens;  // holes in the tokenizer's numbering
};

// Equal for equal content, on every machine. Serialized objects are checked against it on loading.
struct ContentHash {
  uint64_t high = 0;
  uint64_t low = 0;
  friend constexpr auto operator<=>(const ContentHash&, const ContentHash&) = default;
};

class Vocabulary {
 public:
  // A vocabulary may be empty: bytes can be matched without tokens. Throws Error(kVocabularyError)
  // if n_tokens is too small, an id is out of range, or a token or all tokens together are too
  // long.
  explicit Vocabulary(VocabularySpec spec);

  // Indexed by id; id < n_tokens().
  size_t n_tokens() const { return kinds_.size(); }
  std::string_view bytes(TokenId id) const {
    const size_t begin = offsets_[id.index()];
    return {blob_.data() + begin, offsets_[id.index() + 1] - begin};
  }
  TokenKind kind(TokenId id) const { return kinds_[id.index()]; }
  bool is_text(TokenId id) const { return kind(id) == TokenKind::kText; }
  // Each list is ascending, without duplicates.
  const std::vector<TokenId>& stop_tokens() const { return stop_tokens_; }
  const std::vector<TokenId>& special_tokens() const { return special_tokens_; }

  // Indexed by rank; rank < n_ranks(), the number of text tokens.
  size_t n_ranks() const { return by_rank_.size(); }
  TokenId token_at(TokenRank rank) const { return by_rank_[rank.index()]; }
  std::string_view bytes_at(TokenRank rank) const { return bytes(token_at(rank)); }
  size_t common_prefix(TokenRank rank) const { return common_prefix_[rank.index()]; }
  const std::vector<TokenId>& tokens_by_rank() const { return by_rank_; }

  // The ranks [first, second) of the text tokens with exactly these bytes.
  std::pair<TokenRank, TokenRank> find(std::string_view bytes) const;
  // The rank of a text token.
  std::optional<TokenRank> rank_of(TokenId id) const;
  // The longest text token that is a prefix of `text`; among equal ones the lowest id.
  std::optional<TokenRank> longest_match(std::string_view text) const;

  // The length of the longest token, over all kinds.
  size_t max_token_bytes() const { return max_token_bytes_; }
  ContentHash content_hash() const { return content_hash_; }
  // Compares the content in full if the hashes are equal.
  friend bool operator==(const Vocabulary& a, const Vocabulary& b) {
    return a.content_hash_ == b.content_hash_ && a.blob_ == b.blob_ && a.offsets_ == b.offsets_ &&
           a.kinds_ == b.kinds_ && a.special_tokens_ == b.special_tokens_;
  }
  size_t memory_size_bytes() const;

  // Asserts I1 to I5; O(total bytes). For tests.
  void check_invariants() const;

 private:
  void sort_text_tokens();
  void measure_common_prefixes();
  ContentHash hash_content() const;

  std::string blob_;
  std::vector<uint32_t> offsets_;
  std::vector<TokenKind> kinds_;
  std::vector<TokenId> stop_tokens_;
  std::vector<TokenId> special_tokens_;
  std::vector<TokenId> by_rank_;
  std::vector<uint16_t> common_prefix_;
  size_t max_token_bytes_ = 0;
  ContentHash content_hash_;
};

}  // namespace xg2lab
