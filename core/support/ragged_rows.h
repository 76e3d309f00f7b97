// Rows of numbers in one array: a row costs its numbers and four bytes, and no allocation of its
// own.
//
// Tests: tests/core/test_known_machines.py, tests/unit/support_arrays.cc
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace xg2lab {

class RaggedRows {
 public:
  void add(std::span<const uint32_t> row) {
    numbers_.insert(numbers_.end(), row.begin(), row.end());
    begin_.push_back(static_cast<uint32_t>(numbers_.size()));
  }
  std::span<const uint32_t> operator[](size_t i) const {
    return {numbers_.data() + begin_[i], begin_[i + 1] - begin_[i]};
  }
  size_t size() const { return begin_.size() - 1; }

 private:
  std::vector<uint32_t> numbers_;
  std::vector<uint32_t> begin_{0};
};

}  // namespace xg2lab
