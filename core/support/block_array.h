// An array of fixed length in which most elements are never used: elements are allocated in blocks,
// when one of a block is first used.
//
// Tests: tests/core/shared_grammar_stress.cc (through MaskStore), tests/unit/support_arrays.cc
//
// INVARIANTS
//   I1  the address of an element never changes
//   I2  an element whose block isn't allocated reads as T()
//
// COST      a word for each kBlock elements, and the allocated blocks.
// THREADS   any: if two threads allocate a block, the first one's is kept. Access to elements is as
//           safe as T is.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace xg2lab {

template <class T, size_t kBlock = 32>
class BlockArray {
 public:
  explicit BlockArray(size_t n) : blocks_((n + kBlock - 1) / kBlock) {}
  BlockArray(const BlockArray&) = delete;
  BlockArray& operator=(const BlockArray&) = delete;
  ~BlockArray() {
    for (std::atomic<T*>& block : blocks_) delete[] block.load(std::memory_order_relaxed);
  }

  // Null: not allocated.
  const T* find(size_t index) const {
    const T* block = blocks_[index / kBlock].load(std::memory_order_acquire);
    return block == nullptr ? nullptr : block + index % kBlock;
  }
  T& at(size_t index) {
    std::atomic<T*>& place = blocks_[index / kBlock];
    T* block = place.load(std::memory_order_acquire);
    if (block == nullptr) {
      auto made = std::make_unique<T[]>(kBlock);
      if (place.compare_exchange_strong(block, made.get(), std::memory_order_acq_rel))
        block = made.release();
    }
    return block[index % kBlock];
  }

 private:
  std::vector<std::atomic<T*>> blocks_;
};

}  // namespace xg2lab
