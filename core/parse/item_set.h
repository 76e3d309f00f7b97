// Which places are in a column in the making.
//
// COST      insert: O(1) expected. clear: O(1).   THREADS  its owner's.
#pragma once

#include <cstdint>
#include <vector>

#include "parse/item.h"

namespace xg2lab {

// A set of places by open addressing; cleared in O(1) by a stamp.
class ItemSet {
 public:
  ItemSet() : slots_(64) {}
  void clear() {
    if (++stamp_ == 0) {  // once in 2^32 columns
      slots_.assign(slots_.size(), Slot{});
      stamp_ = 1;
    }
    size_ = 0;
  }
  // Where in the agenda an item of the same place is: at `index`, if there is none yet.
  uint32_t insert(const Item& item, uint32_t index, const std::vector<Item>& agenda) {
    if (2 * (size_ + 1) > slots_.size()) grow(agenda);
    const size_t mask = slots_.size() - 1;
    for (size_t at = item.hash_of_place() & mask;; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.stamp != stamp_) {
        slot = {stamp_, index};
        ++size_;
        return index;
      }
      if (agenda[slot.index].is_same_place(item)) return slot.index;
    }
  }

 private:
  struct Slot {
    uint32_t stamp = 0;
    uint32_t index = 0;
  };
  void grow(const std::vector<Item>& agenda) {
    slots_.assign(slots_.size() * 2, Slot{});
    const size_t mask = slots_.size() - 1;
    for (uint32_t i = 0; i < size_; ++i) {
      size_t at = agenda[i].hash_of_place() & mask;
      while (slots_[at].stamp == stamp_) at = (at + 1) & mask;
      slots_[at] = {stamp_, i};
    }
  }
  std::vector<Slot> slots_;
  uint32_t stamp_ = 1;
  size_t size_ = 0;
};

}  // namespace xg2lab
