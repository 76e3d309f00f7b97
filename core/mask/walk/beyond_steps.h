// The steps that a walk took outside its rule: what a pool needs to hold another grammar against it
// (beyond.h).
#pragma once

#include <bitset>
#include <unordered_map>

#include "support/ids.h"

namespace xg2lab {

// Columns outside the rule, and the bytes read in each.
class BeyondSteps {
 public:
  using Bytes = std::bitset<256>;
  // The bytes read in a column; stays where it is.
  Bytes& from(ColumnId column) { return bytes_[column.value]; }
  const std::unordered_map<uint32_t, Bytes>& bytes() const { return bytes_; }
  void add(const BeyondSteps& other) {
    for (const auto& [column, bytes] : other.bytes_) bytes_[column] |= bytes;
  }

 private:
  std::unordered_map<uint32_t, Bytes> bytes_;
};

}  // namespace xg2lab
