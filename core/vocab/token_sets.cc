// The bitmasks of tokens by kind.
#include "vocab/token_sets.h"

#include "support/bits.h"

namespace xg2lab {

TokenSets::TokenSets(std::shared_ptr<const Vocabulary> tokens)
    : vocabulary(std::move(tokens)),
      trie(*vocabulary),
      text_nodes(trie),
      text_words(n_words_for(vocabulary->n_tokens()), 0),
      n_words(text_words.size()) {
  for (TokenId id : vocabulary->tokens_by_rank()) set_bit(text_words, id.value);
  by_id_words = text_words;
  for (TokenId id : vocabulary->special_tokens()) {
    const bool is_one = vocabulary->kind(id) == TokenKind::kSpecial;
    if (is_one && !vocabulary->bytes(id).empty()) set_bit(by_id_words, id.value);
  }
}

}  // namespace xg2lab
