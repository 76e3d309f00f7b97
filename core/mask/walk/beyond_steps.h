// The steps that a walk took after its rule had ended. A pool compares another grammar with them
// (beyond.h).
#pragma once

#include <bitset>
#include <unordered_map>

#include "support/ids.h"

namespace xg2lab {

// The columns after the rule, and the bytes that the walk read in each of them.
class BeyondSteps {
 public:
  using Bytes = std::bitset<256>;
  // The bytes that the walk read in `column`; the reference stays valid.
  Bytes& from(ColumnId column) { return bytes_[column.value]; }
  const std::unordered_map<uint32_t, Bytes>& bytes() const { return bytes_; }
  void add(const BeyondSteps& other) {
    for (const auto& [column, bytes] : other.bytes_) bytes_[column] |= bytes;
  }

 private:
  std::unordered_map<uint32_t, Bytes> bytes_;
};

}  // namespace xg2lab
