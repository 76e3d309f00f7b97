// The bitmask row of a mask that is filled again and again: written once beside the mask's lists,
// and copied from then on.
//
// Tests: tests/core/test_masks.py
//
// IDEA
//   A mask is stored as lists of ids, which are small, and a fill costs nanoseconds for each id. A
//   mask that is filled for the kTimes-th time will probably be filled again. Then its words are
//   stored too, and each later fill copies them.
//
// COST      words: one load. is_due: one addition until fill kTimes. A row is n_words x 4 bytes.
// THREADS   any: is_due() returns true to one thread only, and keep() publishes the row by a
//           release store.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace xg2lab {

class WrittenRow {
 public:
  static constexpr uint32_t kTimes = 16;  // the cost of a row's four fresh pages, in fills

  WrittenRow() = default;
  WrittenRow(WrittenRow&& other) noexcept
      : n_fills_(other.n_fills_.load(std::memory_order_relaxed)),
        row_(other.row_.exchange(nullptr, std::memory_order_relaxed)) {}
  WrittenRow& operator=(WrittenRow&&) = delete;
  ~WrittenRow() { delete[] row_.load(std::memory_order_relaxed); }

  // The words of the row; null if no row is kept.
  const uint32_t* words() const { return row_.load(std::memory_order_acquire); }
  // Counts a fill. True for the kTimes-th fill only.
  bool is_due() {
    return n_fills_.load(std::memory_order_relaxed) < kTimes &&
           n_fills_.fetch_add(1, std::memory_order_relaxed) == kTimes - 1;
  }
  // Keeps the row. Only the thread to which is_due() returned true may call this.
  void keep(std::span<const uint32_t> words) {
    auto row = std::make_unique_for_overwrite<uint32_t[]>(words.size());
    std::copy(words.begin(), words.end(), row.get());
    row_.store(row.release(), std::memory_order_release);
  }

 private:
  std::atomic<uint32_t> n_fills_{0};
  std::atomic<const uint32_t*> row_{nullptr};
};

}  // namespace xg2lab
