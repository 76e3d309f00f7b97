// An array that grows without moving its elements, so that readers need no lock.
//
// Tests: tests/unit/support_arrays.cc
//
// IDEA
//   Elements live in chunks of doubling size; the table of chunks is fixed. A writer appends while
//   it holds the owner's mutex. A reader that learned an index from the writer (through an acquire
//   load of the word that published the index) may read the element as long as the array lives.
//
// INVARIANTS
//   I1  the address of an element never changes
//   I2  chunk k holds elements [2^k - 1, 2^(k+1) - 1) * kFirst
//
// THREADS   append: one thread at a time (the owner's mutex). Element access: any thread that
//           learned the index by acquire.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace xg2lab {

// kMost: the most elements that the array may get.
template <class T, size_t kFirst = 64, uint64_t kMost = uint64_t{1} << 32>
class StableArray {
 public:
  size_t size() const { return size_; }
  // What the chunks take, without what the elements own.
  size_t memory_size_bytes() const {
    if (size_ == 0) return 0;
    const size_t n_chunks = position_of(size_ - 1).chunk + 1;
    return ((size_t{1} << n_chunks) - 1) * kFirst * sizeof(T) + n_chunks * kChunkHeaderBytes;
  }

  T& append() {
    const Position position = position_of(size_);
    if (!chunks_[position.chunk])
      chunks_[position.chunk] = std::make_unique<T[]>(kFirst << position.chunk);
    ++size_;
    return chunks_[position.chunk][position.offset];
  }
  T& operator[](size_t index) {
    const Position position = position_of(index);
    return chunks_[position.chunk][position.offset];
  }
  const T& operator[](size_t index) const {
    const Position position = position_of(index);
    return chunks_[position.chunk][position.offset];
  }

 private:
  // new[] keeps the number of elements before them where delete[] has to destroy each.
  static constexpr size_t kChunkHeaderBytes =
      std::is_trivially_destructible_v<T> ? 0 : std::max(sizeof(size_t), alignof(T));
  struct Position {
    size_t chunk;
    size_t offset;
  };
  static Position position_of(size_t index) {
    const size_t block = index / kFirst + 1;
    const auto chunk = static_cast<size_t>(std::bit_width(block) - 1);
    return {chunk, index - ((size_t{1} << chunk) - 1) * kFirst};
  }

  std::array<std::unique_ptr<T[]>, std::bit_width(kMost / kFirst)> chunks_;
  size_t size_ = 0;
};

}  // namespace xg2lab
