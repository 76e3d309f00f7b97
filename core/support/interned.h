// Interning: equal lists get the same number.
//
// Tests: tests/core/index_table_test.cc, tests/unit/support_interned.cc
//
// IDEA
//   Sets of sets of sets stay small if each level names the one below by a number: comparing two
//   sets is comparing two numbers.
//   T is a trivially copyable struct without padding, so that equal values have equal bytes.
//
// REPRESENTATION
//   The elements of all lists lie in blocks of doubling size, up to kMostBlock words; a longer list
//   has a block of its own. A list is a range of a block. So a list costs its elements, 8 bytes for
//   the range with some bits of its hash, and a few slots of the hash table. The code is that of
//   lists of words, so it occurs once, whatever the elements are: a new column goes through six
//   tables.
//
// INVARIANTS
//   I1  equal lists have equal numbers; the empty list is 0, others are counted as they come
//   I2  a list never moves and never changes
//
// COST      of(): O(size) expected, no allocation for a known list.
// THREADS   find, of: one thread at a time. operator[]: any thread that learned the number by
//           acquire.
// NOT HERE  lists that only their maker reads: support/interned_rows.h keeps them in one array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "support/index_table.h"
#include "support/stable_array.h"

namespace xg2lab {

// Lists of 32-bit words.
class InternedWords {
 public:
  using Id = uint32_t;
  // The size is a multiple of a word's.
  using List = std::span<const std::byte>;

  InternedWords() { lists_.append(); }  // the empty list, of no block

  Id of(List list);
  std::optional<Id> find(List list) const;
  List operator[](Id id) const { return words(lists_[id]); }
  size_t size() const { return lists_.size(); }
  size_t memory_size_bytes() const {
    return index_.memory_size_bytes() + lists_.memory_size_bytes() + blocks_.memory_size_bytes() +
           n_block_bytes_;
  }

 private:
  static constexpr size_t kWord = sizeof(uint32_t);
  // In words.
  static constexpr size_t kLeastBlock = 64;
  static constexpr size_t kMostBlock = 16'384;
  // The hash lets a search seldom read a list. Growing the index reads none, up to 2^17 slots.
  static constexpr unsigned kHashBits = 17;
  struct Range {
    uint32_t begin = 0;  // kMostBlock * number of the block + the first word in it
    uint32_t n_words : 32 - kHashBits = 0;  // kLong: the size is the block's first word
    uint32_t hash : kHashBits = 0;          // the hash's lowest bits
  };
  static constexpr uint32_t kLong = (1u << (32 - kHashBits)) - 1;
  static_assert(kMostBlock < kLong);

  Range keep(List list, uint32_t hash);
  List words(const Range& range) const {
    if (range.n_words == 0) return {};
    const std::byte* const block = blocks_[range.begin / kMostBlock].get();
    if (range.n_words == kLong) return words_of_long(block);
    return {block + range.begin % kMostBlock * kWord, range.n_words * kWord};
  }
  static List words_of_long(const std::byte* block);
  bool is_equal(Id id, List list, uint32_t hash) const;
  uint32_t hash_of(Id id) const;

  StableArray<Range, 32> lists_;
  StableArray<std::unique_ptr<std::byte[]>, 4, (uint64_t{1} << 32) / kMostBlock> blocks_;
  size_t n_room_ = 0;  // words of the last block
  size_t n_used_ = 0;
  IndexTable index_;
  size_t n_block_bytes_ = 0;
};

template <class T>
class Interned {
  static_assert(std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>);
  static_assert(sizeof(T) % sizeof(uint32_t) == 0);

 public:
  using Id = InternedWords::Id;

  Id of(std::span<const T> values) { return values.empty() ? 0 : lists_.of(std::as_bytes(values)); }
  Id of(std::initializer_list<T> values) { return of(std::span(values.begin(), values.size())); }
  std::optional<Id> find(std::span<const T> values) const {
    return lists_.find(std::as_bytes(values));
  }

  std::span<const T> operator[](Id id) const {
    const InternedWords::List list = lists_[id];
    return {reinterpret_cast<const T*>(list.data()), list.size() / sizeof(T)};
  }
  size_t size() const { return lists_.size(); }
  size_t memory_size_bytes() const { return lists_.memory_size_bytes(); }

 private:
  InternedWords lists_;
};

}  // namespace xg2lab
