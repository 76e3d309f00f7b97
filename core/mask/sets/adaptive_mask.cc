// Chooses the smallest form, and writes each of the three forms into a bitmask.
#include "mask/sets/adaptive_mask.h"

#include <utility>

#include "support/bits.h"
#include "support/error.h"
#include "support/invariants.h"

namespace xg2lab {
namespace {

// True if `n` tokens are stored as a list of their ids.
bool is_short(const TokenSets& tokens, size_t n) {
  return n < tokens.n_words && n <= tokens.vocabulary->n_ranks() - n;
}

bool is_subset(std::span<const uint32_t> words, std::span<const uint32_t> of) {
  for (size_t i = 0; i < words.size(); ++i) {
    if ((words[i] & ~of[i]) != 0) return false;
  }
  return true;
}

// Sets the accepted bits, or clears the others in the set of all text tokens, whichever is fewer.
std::vector<uint32_t> words_of(const TokenSets& tokens, std::span<const RankRange> ranges,
                               size_t n_accepted) {
  const Vocabulary& vocabulary = *tokens.vocabulary;
  if (n_accepted <= vocabulary.n_ranks() / 2) {
    std::vector<uint32_t> words(tokens.n_words, 0);
    for (const auto& [begin, end] : ranges) {
      for (uint32_t rank = begin; rank < end; ++rank)
        set_bit(words, vocabulary.token_at(TokenRank(rank)).value);
    }
    return words;
  }
  std::vector<uint32_t> words(tokens.text_words);
  const auto clear = [&](uint32_t begin, uint32_t end) {
    for (uint32_t rank = begin; rank < end; ++rank)
      clear_bit(words, vocabulary.token_at(TokenRank(rank)).value);
  };
  uint32_t at = 0;
  for (const auto& [begin, end] : ranges) {
    clear(at, begin);
    at = end;
  }
  clear(at, static_cast<uint32_t>(vocabulary.n_ranks()));
  return words;
}

}  // namespace

const char* mask_storage_name(MaskStorage storage) {
  switch (storage) {
    case MaskStorage::kAcceptedList: return "accepted_list";
    case MaskStorage::kRejectedList: return "rejected_list";
    case MaskStorage::kBitset: return "bitset";
  }
  return "bitset";
}

AdaptiveMask::AdaptiveMask(const TokenSets& tokens, std::span<const uint32_t> accepted)
    : n_accepted_(count_ones(accepted)), is_of_text_(is_subset(accepted, tokens.text_words)) {
  const size_t n_all = is_of_text_ ? tokens.vocabulary->n_ranks() : count_ones(tokens.by_id_words);
  const size_t n_lacking = n_all - n_accepted_;
  auto push = [this](size_t id) { data_.push_back(static_cast<uint32_t>(id)); };
  if (is_short(tokens, n_accepted_)) {
    storage_ = MaskStorage::kAcceptedList;
    data_.reserve(n_accepted_);
    for_each_one(accepted, push);
  } else if (n_lacking < tokens.n_words) {
    storage_ = MaskStorage::kRejectedList;
    std::vector<uint32_t> lacking(universe(tokens));
    and_not_into(lacking, accepted);
    data_.reserve(n_lacking);
    for_each_one(lacking, push);
  } else {
    storage_ = MaskStorage::kBitset;
    data_.assign(accepted.begin(), accepted.end());
  }
  if constexpr (kChecksInvariants) check_invariants(tokens);
}

AdaptiveMask AdaptiveMask::of_text(const TokenSets& tokens, std::vector<uint32_t> accepted) {
  const size_t n_accepted = count_ones(accepted);
  const size_t n_lacking = tokens.vocabulary->n_ranks() - n_accepted;
  if (is_short(tokens, n_accepted) || n_lacking < tokens.n_words)
    return AdaptiveMask(tokens, accepted);
  AdaptiveMask mask;
  mask.storage_ = MaskStorage::kBitset;
  mask.n_accepted_ = n_accepted;
  mask.data_ = std::move(accepted);
  return mask;
}

AdaptiveMask AdaptiveMask::of_list(std::vector<uint32_t> ids) {
  AdaptiveMask mask;
  mask.n_accepted_ = ids.size();
  mask.data_ = std::move(ids);
  return mask;
}

AdaptiveMask AdaptiveMask::of_ranks(const TokenSets& tokens, std::span<const RankRange> ranges,
                                    std::span<const TokenRank> more) {
  const Vocabulary& vocabulary = *tokens.vocabulary;
  size_t n_in_ranges = 0;
  for (const auto& [begin, end] : ranges) n_in_ranges += end - begin;
  if (is_short(tokens, n_in_ranges + more.size())) {
    std::vector<uint32_t> ids;
    ids.reserve(n_in_ranges + more.size());
    for (const auto& [begin, end] : ranges) {
      for (uint32_t rank = begin; rank < end; ++rank)
        ids.push_back(vocabulary.token_at(TokenRank(rank)).value);
    }
    for (TokenRank rank : more) ids.push_back(vocabulary.token_at(rank).value);
    return of_list(std::move(ids));
  }
  std::vector<uint32_t> words = words_of(tokens, ranges, n_in_ranges);
  for (TokenRank rank : more) set_bit(words, vocabulary.token_at(rank).value);
  return AdaptiveMask(tokens, words);
}

AdaptiveMask AdaptiveMask::like(const TokenSets& tokens, std::shared_ptr<const AdaptiveMask> other,
                                std::vector<uint32_t> without, std::vector<uint32_t> more) {
  AdaptiveMask mask;
  mask.storage_ = MaskStorage::kBitset;
  mask.n_accepted_ = other->n_accepted_ - without.size() + more.size();
  mask.like_ = std::move(other);
  mask.without_ = std::move(without);
  mask.data_ = std::move(more);
  const size_t n_lacking = tokens.vocabulary->n_ranks() - mask.n_accepted_;
  const bool is_bitset = !is_short(tokens, mask.n_accepted_) && n_lacking >= tokens.n_words;
  const bool is_near = mask.without_.size() + mask.data_.size() <= tokens.n_words / 4;
  // Differences are worth storing only in place of a bitmask, if they are few. They never refer to
  // a mask that stores differences itself (I3).
  if (is_bitset && is_near && !mask.like_->like_) {
    if constexpr (kChecksInvariants) mask.check_invariants(tokens);
    return mask;
  }
  std::vector<uint32_t> words(tokens.n_words);
  mask.write(tokens, words);
  return AdaptiveMask(tokens, words);
}

AdaptiveMask AdaptiveMask::with(const TokenSets& tokens, std::span<const TokenRank> more) const {
  if (more.empty()) return *this;
  const Vocabulary& vocabulary = *tokens.vocabulary;
  if (like_) {
    std::vector<uint32_t> beside(data_);
    for (TokenRank rank : more) beside.push_back(vocabulary.token_at(rank).value);
    return like(tokens, like_, without_, std::move(beside));
  }
  if (is_short(tokens, n_accepted_ + more.size())) {  // then this mask is a list, too
    std::vector<uint32_t> ids(data_);
    for (TokenRank rank : more) ids.push_back(vocabulary.token_at(rank).value);
    return of_list(std::move(ids));
  }
  std::vector<uint32_t> words(tokens.n_words, 0);
  write(tokens, words);
  for (TokenRank rank : more) set_bit(words, vocabulary.token_at(rank).value);
  return AdaptiveMask(tokens, words);
}

void AdaptiveMask::write(const TokenSets& tokens, std::span<uint32_t> target) const {
  switch (storage_) {
    case MaskStorage::kAcceptedList:
      fill_zeros(target);
      set_each(target, data_);
      return;
    case MaskStorage::kRejectedList:
      copy_into(target, universe(tokens));
      clear_each(target, data_);
      return;
    case MaskStorage::kBitset:
      if (!like_) return copy_into(target, data_);
      like_->write(tokens, target);
      clear_each(target, without_);
      set_each(target, data_);
      return;
  }
}

void AdaptiveMask::add_to(const TokenSets& tokens, std::span<uint32_t> target) const {
  switch (storage_) {
    case MaskStorage::kAcceptedList: set_each(target, data_); return;
    case MaskStorage::kRejectedList:
    case MaskStorage::kBitset: {
      std::vector<uint32_t> words(tokens.n_words);
      write(tokens, words);
      or_into(target, words);
      return;
    }
  }
}

void AdaptiveMask::check_invariants(const TokenSets& tokens) const {
  std::vector<uint32_t> words(tokens.n_words);
  write(tokens, words);
  XG2LAB_ASSERT(count_ones(words) == n_accepted_, "mask I1");
  if (storage_ != MaskStorage::kBitset) {
    std::vector<uint32_t> listed(tokens.n_words);
    set_each(listed, data_);
    XG2LAB_ASSERT(count_ones(listed) == data_.size(), "mask I2");
  }
  if (!like_) return;
  XG2LAB_ASSERT(storage_ == MaskStorage::kBitset, "mask I3");
  XG2LAB_ASSERT(like_->storage_ == MaskStorage::kBitset && !like_->like_, "mask I3");
  for (uint32_t id : without_) XG2LAB_ASSERT(test_bit(like_->data_, id), "mask I2");
  for (uint32_t id : data_) XG2LAB_ASSERT(!test_bit(like_->data_, id), "mask I2");
}

size_t AdaptiveMask::memory_size_bytes() const {
  return (data_.capacity() + without_.capacity()) * sizeof(uint32_t);
}

}  // namespace xg2lab
