// Finds a column by its content's hash: ids in open addressing, four bytes a slot.
//
// IDEA
//   The columns themselves hold what is compared, so the index needs neither keys nor hashes: a find asks its
//   caller whether a candidate is the one, and growing asks for each hash anew. A counted text makes a column a byte;
//   this is the part of it that a map of nodes would double.
//
// INVARIANTS
//   I1  an id is in at most one slot, and every slot between its hash's first and its own is taken
//
// COST      find: O(1) expected. insert: O(1) amortised.   THREADS  guarded by its owner.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace xg2lab {

class ColumnIndex {
 public:
  // `is_it(id)`: whether this is the column that is looked for.
  template <class IsIt>
  std::optional<uint32_t> find(uint64_t hash, IsIt is_it) const {
    const size_t mask = slots_.size() - 1;
    for (size_t at = hash & mask; slots_[at] != kFree; at = (at + 1) & mask) {
      if (is_it(slots_[at])) return slots_[at];
    }
    return std::nullopt;
  }

  // `hash_of(id)`: the hash of an id that is here already.
  template <class HashOf>
  void insert(uint64_t hash, uint32_t id, HashOf hash_of) {
    if (4 * (size_ + 1) > 3 * slots_.size()) {
      std::vector<uint32_t> old(2 * slots_.size(), kFree);
      old.swap(slots_);
      for (uint32_t known : old) {
        if (known != kFree) place(hash_of(known), known);
      }
    }
    place(hash, id);
    ++size_;
  }

  void clear() {
    slots_.assign(kFewSlots, kFree);
    size_ = 0;
  }

  size_t memory_size_bytes() const { return slots_.size() * sizeof(uint32_t); }

 private:
  static constexpr uint32_t kFree = UINT32_MAX;
  static constexpr size_t kFewSlots = 64;

  void place(uint64_t hash, uint32_t id) {
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    while (slots_[at] != kFree) at = (at + 1) & mask;
    slots_[at] = id;
  }

  std::vector<uint32_t> slots_ = std::vector<uint32_t>(kFewSlots, kFree);
  size_t size_ = 0;
};

}  // namespace xg2lab
