#include "support/interned.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "support/hash.h"

namespace xg2lab {
namespace {

uint32_t hash_of_list(InternedWords::List list) {
  return static_cast<uint32_t>(hash_of_bytes(list.data(), list.size()));
}

}  // namespace

// A long list has a block of its own, which begins with the list's size.
InternedWords::List InternedWords::words_of_long(const std::byte* block) {
  uint32_t n_words;
  std::memcpy(&n_words, block, kWord);
  return {block + kWord, n_words * kWord};
}

bool InternedWords::is_equal(Id id, List list, uint32_t hash) const {
  const Range& range = lists_[id];
  if ((hash ^ range.hash) << (32 - kHashBits) != 0) return false;
  const List known = words(range);
  return known.size() == list.size() && std::memcmp(known.data(), list.data(), list.size()) == 0;
}

// An index of up to 2^kHashBits slots reads the kept bits alone. It doubles when it is half full.
uint32_t InternedWords::hash_of(Id id) const {
  const bool is_enough = index_.size() <= (size_t{1} << kHashBits) / 4;
  return is_enough ? lists_[id].hash : hash_of_list((*this)[id]);
}

InternedWords::Id InternedWords::of(List list) {
  if (list.empty()) return 0;
  const uint32_t hash = hash_of_list(list);
  return index_.find_or_add(
      hash, [&](Id id) { return is_equal(id, list, hash); }, [&](Id id) { return hash_of(id); },
      [&] {
        const Range kept = keep(list, hash);
        lists_.append() = kept;
        return static_cast<Id>(lists_.size() - 1);
      });
}

std::optional<InternedWords::Id> InternedWords::find(List list) const {
  if (list.empty()) return 0;
  const uint32_t hash = hash_of_list(list);
  return index_.find(hash, [&](Id id) { return is_equal(id, list, hash); });
}

// Copies the list to the last block. If it doesn't fit, a block twice as large follows. A list of
// more than kMostBlock words has a block of its own, after its size.
InternedWords::Range InternedWords::keep(List list, uint32_t hash) {
  const size_t n_words = list.size() / kWord;
  const bool is_long = n_words > kMostBlock;
  const size_t n_needed = n_words + (is_long ? 1 : 0);
  if (blocks_.size() == 0 || n_used_ + n_needed > n_room_) {
    const size_t n_room = std::max(std::clamp(2 * n_room_, kLeastBlock, kMostBlock), n_needed);
    auto block = std::make_unique_for_overwrite<std::byte[]>(n_room * kWord);
    blocks_.append() = std::move(block);
    n_block_bytes_ += n_room * kWord;
    n_room_ = n_room;
    n_used_ = 0;
  }
  const size_t number = blocks_.size() - 1;
  std::byte* at = blocks_[number].get() + n_used_ * kWord;
  Range kept;
  kept.begin = static_cast<uint32_t>(number * kMostBlock + n_used_);
  kept.n_words = static_cast<uint32_t>(is_long ? kLong : n_words) & kLong;
  kept.hash = hash & ((1u << kHashBits) - 1);
  if (is_long) {
    const auto size = static_cast<uint32_t>(n_words);
    std::memcpy(at, &size, kWord);
    at += kWord;
  }
  std::memcpy(at, list.data(), list.size());
  n_used_ += n_needed;
  return kept;
}

}  // namespace xg2lab
