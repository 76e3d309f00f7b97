// A hash map whose entries are in one array, in the order in which they came.
//
// Tests: tests/core/index_table_test.cc
//
// IDEA
//   Keys and values are one array; an IndexTable finds a key's entry. So an entry costs its key,
//   its value and a few slots, no node of its own, and the map's memory is known to the byte.
//
// COST      find: O(1) expected. add: O(1) amortised. clear: O(1) for values without destructors.
// THREADS   its owner's. References to values are valid until the next add.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/hash.h"
#include "support/ids.h"
#include "support/index_table.h"

namespace xg2lab {

// Two numbers as a key.
struct NumberPair {
  uint32_t first;
  uint32_t second;
  friend bool operator==(NumberPair, NumberPair) = default;
};

struct DenseHash {
  uint64_t operator()(std::unsigned_integral auto key) const { return hash_mix(key); }
  uint64_t operator()(NumberPair key) const {
    return hash_mix((static_cast<uint64_t>(key.first) << 32) | key.second);
  }
  template <class Tag>
  uint64_t operator()(Id<Tag> key) const {
    return hash_mix(key.value);
  }
};

template <class Key, class Value, class Hash = DenseHash>
class DenseMap {
 public:
  // null if the key is absent.
  const Value* find(const Key& key) const {
    const auto known = index_.find(Hash{}(key), [&](uint32_t i) { return entries_[i].key == key; });
    return known ? &entries_[*known].value : nullptr;
  }
  Value* find(const Key& key) { return const_cast<Value*>(std::as_const(*this).find(key)); }
  // Of a key that is present.
  const Value& at(const Key& key) const { return *find(key); }
  Value& at(const Key& key) { return *find(key); }
  bool contains(const Key& key) const { return find(key) != nullptr; }

  struct Added {
    Value& value;
    bool is_new;
  };
  // A key that is present keeps its value.
  Added add(const Key& key, Value value) {
    const size_t n_before = entries_.size();
    const uint32_t number =
        place(key, std::move(value), [&](uint32_t i) { return entries_[i].key == key; });
    return {entries_[number].value, number == n_before};
  }
  // Of a key that is absent: no entry is compared with it.
  Value& add_absent(const Key& key, Value value) {
    return entries_[place(key, std::move(value), [](uint32_t) { return false; })].value;
  }

  // The memory is kept.
  void clear() {
    entries_.clear();
    index_.clear();
  }

  size_t size() const { return entries_.size(); }
  // Without what the values own.
  size_t memory_size_bytes() const {
    return entries_.capacity() * sizeof(Entry) + index_.memory_size_bytes();
  }

 private:
  struct Entry {
    Key key;
    Value value;
  };
  template <class IsEqual>
  uint32_t place(const Key& key, Value&& value, IsEqual is_equal) {
    return index_.find_or_add(
        Hash{}(key), is_equal, [&](uint32_t i) { return Hash{}(entries_[i].key); },
        [&] {
          entries_.push_back({key, std::move(value)});
          return static_cast<uint32_t>(entries_.size() - 1);
        });
  }
  std::vector<Entry> entries_;
  IndexTable index_;
};

// A number for each of some pairs of numbers.
class PairMap {
 public:
  // null if the pair is absent.
  const uint32_t* find(uint32_t a, uint32_t b) const { return values_.find({a, b}); }
  // Of a pair that is absent. Returns the value.
  uint32_t add(uint32_t a, uint32_t b, uint32_t value) { return values_.add_absent({a, b}, value); }
  void clear() { values_.clear(); }
  size_t memory_size_bytes() const { return values_.memory_size_bytes(); }

 private:
  DenseMap<NumberPair, uint32_t> values_;
};

}  // namespace xg2lab
