// The row of a mask that is asked for again and again: written once more, beside its lists, and
// copied from then on.
//
// Tests: tests/core/test_masks.py
//
// IDEA
//   A mask is kept as lists of ids, which is small and costs nanoseconds for each id. One that is
//   filled for the kTimes-th time will be filled again: then its words are kept too, and a fill is
//   a copy of them.
//
// COST      words: one load. is_due: one addition until the row is kept, or was refused. A row is
//           n_words x 4 bytes.
// THREADS   any: one of them is told that the row is due; it is published by a release store.
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
  static constexpr uint32_t kTimes = 16;  // what a row's four fresh pages cost, in fills

  WrittenRow() = default;
  WrittenRow(WrittenRow&& other) noexcept
      : n_fills_(other.n_fills_.load(std::memory_order_relaxed)),
        row_(other.row_.exchange(nullptr, std::memory_order_relaxed)) {}
  WrittenRow& operator=(WrittenRow&&) = delete;
  ~WrittenRow() { delete[] row_.load(std::memory_order_relaxed); }

  // The words, or null.
  const uint32_t* words() const { return row_.load(std::memory_order_acquire); }
  // Counts a fill; true for the kTimes-th alone.
  bool is_due() {
    return n_fills_.load(std::memory_order_relaxed) < kTimes &&
           n_fills_.fetch_add(1, std::memory_order_relaxed) == kTimes - 1;
  }
  // By whoever was told that it is due.
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
