// Interning: equal lists get the same number.
//
// Tests: tests/core/index_table_test.cc, tests/unit/support_interned.cc
//
// IDEA
//   Sets of sets of sets stay small if each level names the one below by a number: comparing two
//   sets is comparing two numbers.
//   T is a trivially copyable struct without padding, so that its bytes say all of it.
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

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "support/hash.h"
#include "support/index_table.h"
#include "support/stable_array.h"

namespace xg2lab {

template <class T>
class Interned {
 public:
  using Id = uint32_t;

  Interned() { lists_.append(); }

  Id of(std::span<const T> values) {
    if (values.empty()) return 0;
    return index_.find_or_add(
        hash_of_row(values), [&](Id id) { return std::ranges::equal(lists_[id], values); },
        [&](Id id) { return hash_of_row(std::span<const T>(lists_[id])); },
        [&] {
          std::vector<T> list(values.begin(), values.end());
          lists_.append() = std::move(list);
          n_list_bytes_ += values.size_bytes();
          return static_cast<Id>(lists_.size() - 1);
        });
  }
  Id of(std::initializer_list<T> values) { return of(std::span(values.begin(), values.size())); }
  std::optional<Id> find(std::span<const T> values) const {
    if (values.empty()) return 0;
    return index_.find(hash_of_row(values),
                       [&](Id id) { return std::ranges::equal(lists_[id], values); });
  }

  const std::vector<T>& operator[](Id id) const { return lists_[id]; }
  size_t size() const { return lists_.size(); }
  size_t memory_size_bytes() const {
    return index_.memory_size_bytes() + lists_.memory_size_bytes() + n_list_bytes_;
  }

 private:
  StableArray<std::vector<T>, 8> lists_;
  IndexTable index_;
  size_t n_list_bytes_ = 0;
};

}  // namespace xg2lab
