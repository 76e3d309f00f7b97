// Read: misspelling.
#include "runtime/spelling.h"

#include "support/bits.h"
#include "support/findings.h"
#include "support/text.h"

namespace xg2lab {

std::optional<std::string> misspelling(std::string_view text, std::span<const int64_t> ids,
                                       const TokenSets& tokens) {
  const Vocabulary& vocabulary = *tokens.vocabulary;
  std::string bytes;
  for (const int64_t id : ids) {
    if (id < 0 || static_cast<size_t>(id) >= vocabulary.n_tokens())
      return concat("has the id ", id, ", which is outside the vocabulary of ",
                    vocabulary.n_tokens(), " tokens");
    const TokenId token(static_cast<uint32_t>(id));
    if (!test_bit(tokens.by_id_words, token.value))
      return concat("has the id ", id, ", a token that no text holds (",
                    token_kind_name(vocabulary.kind(token)), ")");
    bytes += vocabulary.bytes(token);
  }
  if (bytes != text) return concat("has the bytes ", quoted(bytes));
  return std::nullopt;
}

std::optional<std::string> misspelling(std::string_view text, std::span<const int64_t> ids) {
  constexpr int64_t kMostTokenId = 2147483647;
  for (const int64_t id : ids) {
    if (id < 0 || id > kMostTokenId)
      return concat("has the id ", id, ", and ids are 0 to ", kMostTokenId);
  }
  if (ids.empty() && !text.empty()) return "has no ids";
  return std::nullopt;
}

}  // namespace xg2lab
