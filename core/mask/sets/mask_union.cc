#include "mask/sets/mask_union.h"

#include <utility>

#include "support/bits.h"

namespace xg2lab {

MaskUnion::MaskUnion(const TokenSets& tokens, std::span<const MaskPart> parts) : tokens_(tokens) {
  for (const MaskPart& part : parts) {
    if (most_ == nullptr || part.size() > most_->size()) most_ = &part;
  }
  if (parts.size() < 2) return;
  words_.resize(tokens.n_words);
  write(*most_, words_);
  for (const MaskPart& part : parts) {
    if (&part != most_) add(part);
  }
}

void MaskUnion::write(const MaskPart& part, std::span<uint32_t> target) const {
  part.mask->write(tokens_, target);
  clear_each(target, part.lacking);
}

void MaskUnion::add(const MaskPart& part) {
  const auto add_one = [&](size_t token) {
    if (test_bit(words_, token)) return;
    set_bit(words_, token);
    beside_.push_back(static_cast<uint32_t>(token));
  };
  if (part.mask->storage() == MaskStorage::kAcceptedList && part.lacking.empty()) {
    for (uint32_t token : part.mask->ids()) add_one(token);
    return;
  }
  std::vector<uint32_t> more(tokens_.n_words);
  write(part, more);
  and_not_into(more, words_);
  for_each_one(more, add_one);
}

std::vector<uint32_t> MaskUnion::words() && {
  if (words_.empty()) {
    words_.resize(tokens_.n_words, 0);
    if (most_ != nullptr) write(*most_, words_);
  }
  return std::move(words_);
}

void MaskUnion::remove_from(std::vector<TokenRank>& ranks) const {
  if (words_.empty()) return;
  std::erase_if(ranks, [&](TokenRank rank) {
    return test_bit(words_, tokens_.vocabulary->token_at(rank).value);
  });
}

}  // namespace xg2lab
