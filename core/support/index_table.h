// An open-addressing hash table of entries that are stored elsewhere: it keeps their numbers.
//
// Tests: tests/core/index_table_test.cc
//
// IDEA
//   The owner keeps its entries in an array of its own, in the layout that suits them. The table
//   maps a hash to an entry's number, four bytes a slot, by linear probing. A search passes each
//   candidate to the owner, which compares it with the wanted entry; growing asks the owner for
//   the entries' hashes. So the table needs neither keys nor hashes, and its memory is known to the
//   byte.
//
//     entries  0 "ab", 1 "c", 2 "ba"   hashes  3, 3, 0   slots  [2 . . 0 1 . . .]
//     find "c", hash 3: slot 3 holds entry 0, "ab" != "c"; slot 4 holds entry 1, which is "c"
//     find "d", hash 3: slots 3 and 4 hold others, slot 5 is free: "d" is absent
//
// REPRESENTATION
//   A slot holds base_ + number; less than base_ is free. clear() raises base_ above every slot, so
//   it is O(1) and the slots are kept: a column in the making clears its table for each byte.
//
// INVARIANTS
//   I1  a number is in at most one slot; the slots from its hash's first to its own are all taken
//   I2  at most half of the slots are taken, so every search ends
//   I3  numbers are below 2^31, and so is base_
//   I4  an entry whose making throws is not in the table
//
// COST      find, find_or_add: O(1) expected. Memory: 8 to 16 bytes an entry.
// THREADS   its owner's.
// NOT HERE  keys beside their values (support/dense_map.h), lists (support/interned.h and
//           support/interned_rows.h).
// SEE ALSO  docs/design/0034-one-table.md
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace xg2lab {

class IndexTable {
 public:
  // The entry of this hash for which `is_equal(number)` holds.
  template <class IsEqual>
  std::optional<uint32_t> find(uint64_t hash, IsEqual is_equal) const {
    if (slots_.empty()) return std::nullopt;
    const size_t mask = slots_.size() - 1;
    for (size_t at = hash & mask; slots_[at] >= base_; at = (at + 1) & mask) {
      if (is_equal(slots_[at] - base_)) return slots_[at] - base_;
    }
    return std::nullopt;
  }

  // As find; an absent entry is added, with the number that `make()` returns. `hash_of(number)` is
  // the hash of an entry that was added before. None of the three functions may change the table.
  template <class IsEqual, class HashOf, class Make>
  uint32_t find_or_add(uint64_t hash, IsEqual is_equal, HashOf hash_of, Make make) {
    if (size_ == n_most_) grow(hash_of);
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    for (; slots_[at] >= base_; at = (at + 1) & mask) {
      if (is_equal(slots_[at] - base_)) return slots_[at] - base_;
    }
    const uint32_t number = make();
    occupy(at, number);
    return number;
  }

  // Of an entry that is absent.
  template <class HashOf>
  void insert(uint64_t hash, uint32_t number, HashOf hash_of) {
    if (size_ == n_most_) grow(hash_of);
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    while (slots_[at] >= base_) at = (at + 1) & mask;
    occupy(at, number);
  }

  // Without entries; the memory is kept.
  void clear() {
    size_ = 0;
    base_ = end_;
    if (base_ < kMostNumbers) return;
    std::ranges::fill(slots_, kFree);
    base_ = end_ = kFree + 1;
  }

  size_t size() const { return size_; }
  size_t memory_size_bytes() const { return slots_.capacity() * sizeof(uint32_t); }

 private:
  static constexpr uint32_t kFree = 0;  // less than any base_
  static constexpr uint32_t kMostNumbers = 0x80000000u;
  static constexpr size_t kFewSlots = 32;

  void occupy(size_t at, uint32_t number) {
    assert(number < kMostNumbers);
    slots_[at] = base_ + number;
    end_ = std::max(end_, base_ + number + 1);
    ++size_;
  }

  template <class HashOf>
  void grow(HashOf hash_of) {
    std::vector<uint32_t> slots(std::max(kFewSlots, 2 * slots_.size()), kFree);
    const size_t mask = slots.size() - 1;
    for (const uint32_t taken : slots_) {
      if (taken < base_) continue;
      size_t at = hash_of(taken - base_) & mask;
      while (slots[at] != kFree) at = (at + 1) & mask;
      slots[at] = taken;
    }
    slots_ = std::move(slots);
    n_most_ = slots_.size() / 2;
  }

  std::vector<uint32_t> slots_;  // none, or a power of two
  uint32_t base_ = kFree + 1;
  uint32_t end_ = kFree + 1;  // above every slot
  size_t size_ = 0;
  size_t n_most_ = 0;  // entries that the slots have room for
};

}  // namespace xg2lab
