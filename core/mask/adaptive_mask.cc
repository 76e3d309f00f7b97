// Choice of the form, and the three ways to write it out.
#include "mask/adaptive_mask.h"

#include "support/bits.h"

namespace xg2lab {

const char* mask_storage_name(MaskStorage storage) {
  switch (storage) {
    case MaskStorage::kAcceptedList: return "accepted_list";
    case MaskStorage::kRejectedList: return "rejected_list";
    case MaskStorage::kBitset: return "bitset";
  }
  return "bitset";
}

namespace {

bool is_subset(std::span<const uint32_t> words, std::span<const uint32_t> of) {
  for (size_t i = 0; i < words.size(); ++i) {
    if ((words[i] & ~of[i]) != 0) return false;
  }
  return true;
}

}  // namespace

AdaptiveMask::AdaptiveMask(const TokenSets& tokens, std::span<const uint32_t> accepted)
    : n_accepted_(count_ones(accepted)), is_of_text_(is_subset(accepted, tokens.text_words)) {
  const size_t n_all = is_of_text_ ? tokens.vocabulary->n_ranks() : count_ones(tokens.by_id_words);
  const size_t n_lacking = n_all - n_accepted_;
  auto push = [this](size_t id) { data_.push_back(static_cast<uint32_t>(id)); };
  if (n_accepted_ <= n_lacking && n_accepted_ < tokens.n_words) {
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
    case MaskStorage::kBitset: copy_into(target, data_); return;
  }
}

void AdaptiveMask::add_to(const TokenSets& tokens, std::span<uint32_t> target) const {
  switch (storage_) {
    case MaskStorage::kAcceptedList: set_each(target, data_); return;
    case MaskStorage::kRejectedList: {
      std::vector<uint32_t> words(tokens.n_words);
      write(tokens, words);
      or_into(target, words);
      return;
    }
    case MaskStorage::kBitset: or_into(target, data_); return;
  }
}

size_t AdaptiveMask::memory_size_bytes() const { return data_.capacity() * sizeof(uint32_t); }

}  // namespace xg2lab
