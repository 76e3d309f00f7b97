// A row of a bitmask that Python owns, as words that the engine may write.
//
// Tests: tests/bitmask/test_bitmask_row.py
//
// IDEA
//   Every fill writes one row: bit t of the row says whether token t may come next. Type, shape,
//   device and width are checked completely before a word is touched, because a wrong index would
//   write out of bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bind/python.h"
#include "bind/tensor_view.h"

namespace xg2lab::bind {

struct BitmaskRow {
  std::span<uint32_t> words;  // all words of the row: at least n_words_for(n_tokens)
  pybind11::object owner;     // keeps the memory alive while the GIL is released
};

// A NumPy array (int32 or uint32) or CPU torch tensor (int32 or uint32) of shape (batch_size,
// n_words), or (n_words,), which is row 0. Throws Error(kBitmaskError) otherwise. Checks that
// concern all rows are made once.
class BitmaskRows {
 public:
  explicit BitmaskRows(pybind11::object bitmask);
  // Throws Error(kBitmaskError) if the row doesn't exist or is too narrow.
  std::span<uint32_t> row(int64_t index, size_t n_tokens) const;

 private:
  pybind11::object owner_;
  TensorView view_;
};

BitmaskRow bitmask_row(pybind11::object bitmask, int64_t index, size_t n_tokens);

}  // namespace xg2lab::bind
