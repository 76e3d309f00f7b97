// Interning: equal values get the same number.
//
// IDEA
//   Sets of sets of sets stay small if each level refers to the level below by number; comparing
//   two sets is comparing their numbers. T: a trivially copyable struct without padding, so that
//   comparing bytes compares values.
//
// COST      of(): expected O(size).   THREADS  the owner's.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/hash.h"

namespace xg2lab {

template <class T>
class Interned {
  static_assert(std::has_unique_object_representations_v<T> && sizeof(T) % sizeof(uint32_t) == 0);

 public:
  using Id = uint32_t;
  // Number 0 is the empty list.
  Interned() { of({}); }

  Id of(std::vector<T> values) {
    // reserves first: after an exception the table and the list still agree
    if (all_.size() == all_.capacity()) all_.reserve(2 * all_.size() + 16);
    const auto [known, is_new] = ids_.emplace(std::move(values), static_cast<Id>(all_.size()));
    if (is_new) {
      all_.push_back(&known->first);
      constexpr size_t kNodeBytes = 72;
      n_bytes_ += kNodeBytes + known->first.size() * sizeof(T);
    }
    return known->second;
  }
  const std::vector<T>& operator[](Id id) const { return *all_[id]; }
  size_t size() const { return all_.size(); }
  size_t memory_size_bytes() const { return n_bytes_; }

 private:
  struct HashOf {
    size_t operator()(const std::vector<T>& values) const {
      uint64_t hash = values.size();
      for (const T& value : values) {
        uint32_t words[sizeof(T) / sizeof(uint32_t)];
        std::memcpy(words, &value, sizeof(T));
        for (uint32_t word : words) hash = hash_combine(hash, word);
      }
      return hash;
    }
  };
  std::unordered_map<std::vector<T>, Id, HashOf> ids_;
  std::vector<const std::vector<T>*> all_;
  size_t n_bytes_ = 0;
};

// A hash map from pairs of numbers to a number: open addressing, emptied in O(1) by a stamp.
class PairMap {
 public:
  PairMap() : slots_(64) {}

  const uint32_t* find(uint32_t a, uint32_t b) const {
    const uint64_t key = key_of(a, b);
    for (size_t at = first(key);; at = next(at)) {
      const Slot& slot = slots_[at];
      if (slot.stamp != stamp_) return nullptr;
      if (slot.key == key) return &slot.value;
    }
  }
  // Adds a pair that isn't in the map. Returns the value.
  uint32_t add(uint32_t a, uint32_t b, uint32_t value) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    place({key_of(a, b), value, stamp_});
    ++size_;
    return value;
  }
  void clear() {
    size_ = 0;
    if (++stamp_ != 0) return;
    slots_.assign(slots_.size(), Slot{});  // the stamp wraps around once in 2^32 times
    stamp_ = 1;
  }
  size_t memory_size_bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    uint64_t key = 0;
    uint32_t value = 0;
    uint32_t stamp = 0;
  };
  static uint64_t key_of(uint32_t a, uint32_t b) { return (static_cast<uint64_t>(a) << 32) | b; }
  size_t first(uint64_t key) const { return hash_mix(key) & (slots_.size() - 1); }
  size_t next(size_t at) const { return (at + 1) & (slots_.size() - 1); }
  void place(const Slot& slot) {
    size_t at = first(slot.key);
    while (slots_[at].stamp == stamp_) at = next(at);
    slots_[at] = slot;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.stamp == stamp_) place(slot);
    }
  }
  std::vector<Slot> slots_;
  uint32_t stamp_ = 1;
  size_t size_ = 0;
};

}  // namespace xg2lab
