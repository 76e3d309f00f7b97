// Rows of numbers, each kept once: equal rows have equal ids, counted from 0 in the order in which they came.
//
// Tests: tests/core/test_program.py (through the subset construction and minimization)
//
// IDEA      all rows lie behind one another in one array; a table of ids, found by hash and compared in full, says which are
//           known. So a row costs its numbers and some 12 bytes, and no allocation of its own.
// COST      add: expected O(length of the row). Spans stay valid until the next add.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "support/hash.h"

namespace xg2lab {

class InternedRows {
 public:
  struct Added {
    uint32_t id;
    bool is_new;
  };

  Added add(std::span<const uint32_t> row) {
    if (2 * (hashes_.size() + 1) > table_.size()) grow();
    const uint64_t hash = hash_of(row);
    for (size_t slot = hash & (table_.size() - 1);; slot = (slot + 1) & (table_.size() - 1)) {
      const uint32_t id = table_[slot];
      if (id == kEmpty) {
        const auto made = static_cast<uint32_t>(hashes_.size());
        table_[slot] = made;
        hashes_.push_back(hash);
        numbers_.insert(numbers_.end(), row.begin(), row.end());
        begin_.push_back(static_cast<uint32_t>(numbers_.size()));
        return {made, true};
      }
      if (hashes_[id] == hash && std::ranges::equal((*this)[id], row)) return {id, false};
    }
  }

  std::span<const uint32_t> operator[](uint32_t id) const {
    return {numbers_.data() + begin_[id], begin_[id + 1] - begin_[id]};
  }
  size_t size() const { return hashes_.size(); }

  // Without rows again; the memory is kept.
  void clear() {
    if (hashes_.empty()) return;
    hashes_.clear();
    numbers_.clear();
    begin_.resize(1);
    std::fill(table_.begin(), table_.end(), kEmpty);
  }

 private:
  static constexpr uint32_t kEmpty = UINT32_MAX;
  static constexpr size_t kFirstSize = 64;

  static uint64_t hash_of(std::span<const uint32_t> row) {
    uint64_t hash = row.size();
    for (uint32_t number : row) hash = (hash ^ number) * 0x9e3779b97f4a7c15ull + (hash >> 29);
    return hash_mix(hash);
  }

  void grow() {
    table_.assign(std::max(kFirstSize, 2 * table_.size()), kEmpty);
    hashes_.reserve(table_.size() / 2);
    begin_.reserve(table_.size() / 2 + 1);
    if (numbers_.empty()) numbers_.reserve(table_.size());
    for (uint32_t id = 0; id < hashes_.size(); ++id) {
      size_t slot = hashes_[id] & (table_.size() - 1);
      while (table_[slot] != kEmpty) slot = (slot + 1) & (table_.size() - 1);
      table_[slot] = id;
    }
  }

  std::vector<uint32_t> numbers_;
  std::vector<uint32_t> begin_{0};
  std::vector<uint64_t> hashes_;
  std::vector<uint32_t> table_;  // a power of two, at most half full
};

}  // namespace xg2lab
