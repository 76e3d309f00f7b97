// Rows of numbers, each kept once: equal rows have equal ids, counted from 0 as they come.
//
// Tests: tests/core/index_table_test.cc, tests/unit/support_interned.cc
//
// IDEA      all rows lie behind one another in one array. A row costs its numbers, where it begins,
//           half its hash and a few slots of the table, and no allocation of its own.
// COST      add: expected O(length of the row). Spans stay valid until the next add.
// NOT HERE  rows that other threads read, or that must not move: support/interned.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "support/hash.h"
#include "support/index_table.h"

namespace xg2lab {

class InternedRows {
 public:
  struct Added {
    uint32_t id;
    bool is_new;
  };

  Added add(std::span<const uint32_t> row) {
    const auto hash = static_cast<uint32_t>(hash_of_row(row));
    const auto made = static_cast<uint32_t>(hashes_.size());
    const uint32_t id = index_.find_or_add(
        hash,
        [&](uint32_t known) {
          return hashes_[known] == hash && std::ranges::equal((*this)[known], row);
        },
        [&](uint32_t known) { return hashes_[known]; },
        [&] {
          append(row, hash);
          return made;
        });
    return {id, id == made};
  }

  // A row that add() never finds: the caller finds it in another way. Nothing is hashed.
  uint32_t append_unlisted(std::span<const uint32_t> row) {
    append(row, 0);
    return static_cast<uint32_t>(hashes_.size() - 1);
  }

  std::span<const uint32_t> operator[](uint32_t id) const {
    return {numbers_.data() + begin_[id], begin_[id + 1] - begin_[id]};
  }
  size_t size() const { return hashes_.size(); }

  // Without rows again; the memory is kept.
  void clear() {
    hashes_.clear();
    numbers_.clear();
    begin_.resize(1);
    index_.clear();
  }

  size_t memory_size_bytes() const {
    return index_.memory_size_bytes() +
           (numbers_.capacity() + begin_.capacity() + hashes_.capacity()) * sizeof(uint32_t);
  }

 private:
  void append(std::span<const uint32_t> row, uint32_t hash) {
    constexpr size_t kFewRows = 32;
    if (numbers_.capacity() == 0) {
      numbers_.reserve(2 * kFewRows);
      begin_.reserve(kFewRows + 1);
      hashes_.reserve(kFewRows);
    }
    numbers_.insert(numbers_.end(), row.begin(), row.end());
    begin_.push_back(static_cast<uint32_t>(numbers_.size()));
    hashes_.push_back(hash);
  }

  std::vector<uint32_t> numbers_;
  std::vector<uint32_t> begin_{0};
  std::vector<uint32_t> hashes_;  // their lower halves
  IndexTable index_;
};

}  // namespace xg2lab
