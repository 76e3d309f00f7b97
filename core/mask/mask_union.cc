#include "mask/mask_union.h"

#include <utility>

#include "support/bits.h"

namespace xg2lab {

MaskUnion::MaskUnion(const TokenSets& tokens, std::span<const AdaptiveMask* const> masks)
    : tokens_(tokens) {
  for (const AdaptiveMask* mask : masks) {
    if (most_ == nullptr || mask->n_accepted() > most_->n_accepted()) most_ = mask;
  }
  if (masks.size() < 2) return;
  words_.resize(tokens.n_words);
  most_->write(tokens, words_);
  for (const AdaptiveMask* mask : masks) {
    if (mask != most_) add(*mask);
  }
}

void MaskUnion::add(const AdaptiveMask& mask) {
  const auto add_one = [&](size_t token) {
    if (test_bit(words_, token)) return;
    set_bit(words_, token);
    beside_.push_back(static_cast<uint32_t>(token));
  };
  if (mask.storage() == MaskStorage::kAcceptedList) {
    for (uint32_t token : mask.data()) add_one(token);
    return;
  }
  std::vector<uint32_t> more(tokens_.n_words);
  mask.write(tokens_, more);
  and_not_into(more, words_);
  for_each_one(more, add_one);
}

std::vector<uint32_t> MaskUnion::words() && {
  if (words_.empty()) {
    words_.resize(tokens_.n_words, 0);
    if (most_ != nullptr) most_->write(tokens_, words_);
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
