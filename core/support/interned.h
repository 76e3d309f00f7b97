// Values with numbers: equal ones get the same.
//
// IDEA
//   Sets of sets of sets stay small if each level names the one below by a number: comparing two is comparing numbers.
//   T: a trivially copyable struct without padding, so that its bytes are what it says.
//
// COST      of(): O(size) expected.   THREADS  its owner's.
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

// What is known of pairs of numbers.
class PairMap {
 public:
  const uint32_t* find(uint32_t a, uint32_t b) const {
    const auto known = map_.find(key(a, b));
    return known == map_.end() ? nullptr : &known->second;
  }
  uint32_t add(uint32_t a, uint32_t b, uint32_t value) { return map_[key(a, b)] = value; }
  size_t memory_size_bytes() const { return map_.size() * 40; }

 private:
  struct Mix {
    size_t operator()(uint64_t key) const { return hash_mix(key); }
  };
  static uint64_t key(uint32_t a, uint32_t b) { return (static_cast<uint64_t>(a) << 32) | b; }
  std::unordered_map<uint64_t, uint32_t, Mix> map_;
};

}  // namespace xg2lab
