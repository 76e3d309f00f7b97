#include "vocab/token_names.h"

#include "support/suggest.h"
#include "support/text.h"

namespace xg2lab {

std::vector<TokenId> tokens_named(const Vocabulary& vocabulary, std::string_view text) {
  std::vector<TokenId> ids;
  for (const TokenId id : vocabulary.special_tokens()) {
    if (vocabulary.kind(id) == TokenKind::kSpecial && vocabulary.bytes(id) == text)
      ids.push_back(id);
  }
  const auto [begin, end] = vocabulary.find(text);
  for (TokenRank rank = begin; rank < end; rank = TokenRank(rank.index() + 1))
    ids.push_back(vocabulary.token_at(rank));
  for (const TokenId id : vocabulary.stop_tokens()) {
    if (vocabulary.bytes(id) == text) ids.push_back(id);
  }
  return ids;
}

std::optional<std::string> token_name_like(const Vocabulary& vocabulary, std::string_view text) {
  constexpr size_t kCompared = 10000;
  std::vector<std::string_view> names;
  for (const auto* list : {&vocabulary.special_tokens(), &vocabulary.stop_tokens()}) {
    for (size_t i = 0; i < list->size() && names.size() < kCompared; ++i)
      names.push_back(vocabulary.bytes((*list)[i]));
  }
  if (auto near = closest_name(text, names)) return near;
  const std::string other = text.starts_with(' ') ? std::string(text.substr(1)) : concat(" ", text);
  const auto [begin, end] = vocabulary.find(other);
  return begin < end ? std::optional(other) : std::nullopt;
}

}  // namespace xg2lab
